import { member, type JsonObject } from "../../../json/json-tree.ts";
import { readFrame } from "../../../wire/sse.ts";
import { bedrockAddress } from "../address.ts";
import { composedMessages, failureOf } from "../message.ts";
import { composedJson, linesOf, type Composed } from "../../composed.ts";
import type { Protocol, ProtocolRequest, ReplyDraft, RequestFacts, StreamRules } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { chatBody, objectBody } from "../../reading/request.ts";
import { userLabel } from "../../user-label.ts";
import { conversationFrom } from "./conversation.ts";
import { messageFrom } from "./message.ts";
import { projectConverse } from "./project.ts";

/**
 * A stream says with `messageStop` that the message is at its end; `metadata` with the usage follows, and the end of
 * the body. A failure is a message of the type exception.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html, 2026-11.
 */
const converseStream: StreamRules = {
  isTerminal: (frame) => readFrame(frame).event === "messageStop",
  endsWithBody: true,
  isError: (frame) => failureOf(frame) !== undefined,
  // A message is of no use before its checksum: each waits until it is whole.
  mayBeTerminal: () => true,
};

/** Bedrock's converse. Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, 2026-11. */
export const bedrockConverse: Protocol = {
  operation: "converse",
  accepts: (method, pathname) => bedrockAddress.accepts(method, pathname, "converse"),
  facts: (request) => factsOf(request, false),
  conversation: (request) => conversationFrom(bodyOf(request)),
  project: projectConverse,
  compose: (draft, request) => {
    bodyOf(request);
    return composedJson(composeOutput(draft));
  },
  isWhole: isWholeJson,
};

/** The same as a stream of messages. */
export const bedrockConverseStream: Protocol = {
  ...bedrockConverse,
  operation: "converse-stream",
  accepts: (method, pathname) => bedrockAddress.accepts(method, pathname, "converse-stream"),
  facts: (request) => factsOf(request, true),
  stream: converseStream,
  compose: (draft, request) => {
    bodyOf(request);
    return composeEvents(draft);
  },
};

function factsOf(request: ProtocolRequest, streaming: boolean): RequestFacts {
  const model = bedrockAddress.modelIn(request.path);
  const label = userLabel(member(bodyOf(request), "messages"), (message) => messageFrom(message, "user"));
  return { ...(model !== undefined && { model }), streaming, label };
}

/** Where a prompt of Bedrock's prompt management is asked for, there may be no messages. */
function bodyOf(request: ProtocolRequest): JsonObject {
  const managed = request.body.kind === "json" && member(request.body.tree, "promptVariables") !== undefined;
  if (managed) return objectBody(request, { operation: "Converse", needs: [] });
  return chatBody(request, { operation: "Converse", model: false });
}

/** Nothing was spent. */
const USAGE = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

export function composeOutput(draft: ReplyDraft): object {
  return {
    output: { message: { role: "assistant", content: [{ text: draft.text }] } },
    stopReason: "end_turn",
    usage: USAGE,
    metrics: { latencyMs: 0 },
  };
}

function composeEvents(draft: ReplyDraft): Composed {
  return composedMessages(outputEvents(draft));
}

/** The events of a stream that says the draft's text. */
export function outputEvents(draft: ReplyDraft): (readonly [type: string, data: unknown])[] {
  return [
    ["messageStart", { role: "assistant" }],
    ...linesOf(draft.text).map(
      (text) => ["contentBlockDelta", { contentBlockIndex: 0, delta: { text } }] as const,
    ),
    ["contentBlockStop", { contentBlockIndex: 0 }],
    ["messageStop", { stopReason: "end_turn" }],
    ["metadata", { usage: USAGE, metrics: { latencyMs: 0 } }],
  ];
}
