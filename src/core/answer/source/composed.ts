import { localize } from "../../base/localize.ts";
import type { Answer, MadeUpReply, WireHeaders } from "../../call/call.ts";
import { readProtocolRequest } from "../../match/read-request.ts";
import { createWrongUsage } from "../../base/errors.ts";
import { describeMadeUpReason } from "../../view/finding.ts";
import type { ReplyDraft } from "../../protocol/base/protocol.ts";
import { createSettledAnswer } from "./recordings.ts";
import { type Exchange } from "../../match/read-request.ts";

/**
 * Returns a made-up answer in the format of the call. `by` names its origin for reports.
 * @throws TapedeckError `tapedeck_usage` for tool calls if the operation has none
 */
export function createComposedAnswer(draft: ReplyDraft, exchange: Exchange, by: string): Answer {
  const { protocol, provider } = exchange;
  if (draft.toolCalls !== undefined && draft.toolCalls.length > 0 && protocol.composesToolCalls !== true)
    throw createWrongUsage(
      localize(
        "A mock reply with tool calls cannot answer this call: {0} {1} has no tool calls.",
        provider.name,
        protocol.operation,
      ),
      localize("Give the reply a text, or restrict it to other calls with provider, model, or text."),
    );
  const composed = protocol.compose(draft, readProtocolRequest(exchange));
  return createMadeUpAnswer({ status: 200, ...composed }, [], by);
}

/** Returns a made-up answer with the given reply. */
export function createMadeUpAnswer(reply: MadeUpReply["reply"], headers: WireHeaders, by: string): Answer {
  const { status, contentType, body } = reply;
  const typed: WireHeaders = contentType === undefined ? [] : [["content-type", contentType]];
  const reason = describeMadeUpReason(by);
  return createSettledAnswer(
    { status, headers: [...typed, ...headers], body },
    { outcome: "defaulted", reason, madeUp: { by, reply } },
  );
}
