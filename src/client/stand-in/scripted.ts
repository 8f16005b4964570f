import { isFailed, type ScriptedReply, type ScriptedToolCall } from "../../core/config/mocks.ts";
import { tapedeckError, type TapedeckError } from "../../core/errors.ts";
import type { ToolCallDraft } from "../../core/protocol/protocol.ts";
import type { Exchange } from "../../core/source/source.ts";
import { statusError } from "../errors.ts";
import type { MockReply } from "../mock/mock-reply.ts";
import type { Turns } from "./call-match.ts";
import { mockOfDraft } from "./draft.ts";

/** What a script's reply is to a mock; a text in kosong's echo language is not one yet. */
export function mockReplyOf(reply: Exclude<ScriptedReply, { readonly kosong: string }>): MockReply {
  if (isFailed(reply)) {
    const { status, message = `The mock answers with ${status}.`, retryAfter } = reply;
    return statusError(status, message, {
      ...(retryAfter !== undefined && { retryAfterMs: retryAfter * 1_000 }),
    });
  }
  if (typeof reply.reply === "string") return reply.reply;
  const { text = "", toolCalls = [], usage, finish } = reply.reply;
  return mockOfDraft({
    text,
    toolCalls: toolCalls.map(callDraft),
    ...(finish && { finish }),
    ...(usage && { usage: { inputTokens: 0, outputTokens: 0, ...usage } }),
  });
}

function callDraft({ name, arguments: args = {}, id }: ScriptedToolCall, index: number): ToolCallDraft {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { id: id ?? `call_${index + 1}`, name, arguments: text };
}

/** Says of a call for which a script has nothing left what is left of it. */
export function ranDry(
  { facts, provider, protocol }: Exchange,
  script: readonly ScriptedReply[],
  { left }: Turns<ScriptedReply>,
): TapedeckError {
  const what = facts.model ?? `${provider.name} ${protocol.operation}`;
  const why =
    left === 0
      ? `all ${script.length} of its replies are used`
      : `${left} of its ${script.length} replies are left, and none is for this call`;
  return tapedeckError(
    "tapedeck_miss",
    `The script has no reply for this ${what} call ("${facts.label}"): ${why}.`,
    { hint: "Add a reply to the script, or let one answer several calls with times." },
  );
}
