import { member, type JsonObject } from "../../../json/json-tree.ts";
import { composedJson, linesOf } from "../../composed.ts";
import { bedrockAddress } from "../../model-address.ts";
import { operationFrom, type Operation } from "../../operation.ts";
import type { Protocol, ReplyDraft } from "../../protocol.ts";
import { chatLabel, itemsAt, objectWith } from "../../reading/request.ts";
import { nameOf } from "../../stream-rules.ts";
import { composedMessages, isFailure } from "../message.ts";
import { messagesOf, settingsIn } from "./conversation.ts";
import { messageFrom } from "./message.ts";
import { projectConverse } from "./reply.ts";

const readBody = objectWith("Converse", "messages");
const readManaged = objectWith("Converse");

const CONVERSE: Operation<JsonObject> = {
  operation: "converse",
  path: bedrockAddress.pathOf("converse"),
  // Where a prompt of Bedrock's prompt management is asked for, there may be no messages.
  body(request) {
    const { body } = request;
    const isManaged = body.kind === "json" && member(body.tree, "promptVariables") !== undefined;
    return (isManaged ? readManaged : readBody)(request);
  },
  facts: (body, { path }) => ({
    model: bedrockAddress.modelIn(path),
    streaming: true,
    label: chatLabel(itemsAt(body, "messages"), (message) => messageFrom(message, "user")),
  }),
  messages: messagesOf,
  settings: settingsIn,
  project: projectConverse,
  compose: (draft) => composedJson(outputFor(draft)),
};

/** Bedrock's converse. Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, 2026-11. */
export const bedrockConverse: Protocol = operationFrom(CONVERSE);

/**
 * The same as a stream of messages. It says with `messageStop` that the message is at its end; `metadata` with the
 * usage follows, and the end of the body. A failure is a message of the type exception.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html, 2026-11.
 */
export const bedrockConverseStream: Protocol = operationFrom({
  ...CONVERSE,
  operation: "converse-stream",
  path: bedrockAddress.pathOf("converse-stream"),
  stream: {
    isTerminal: (frame) => nameOf(frame) === "messageStop",
    endsWithBody: true,
    isError: isFailure,
    // A message is of no use before its checksum: each waits until it is whole.
    mayBeTerminal: () => true,
  },
  compose: (draft) => composedMessages(eventsFor(draft)),
});

/** Nothing was spent. */
const USAGE = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

/** A reply that says the draft's text. */
export function outputFor({ text }: ReplyDraft): object {
  return {
    output: { message: { role: "assistant", content: [{ text }] } },
    stopReason: "end_turn",
    usage: USAGE,
    metrics: { latencyMs: 0 },
  };
}

/** The events of a stream that says the draft's text. */
export function eventsFor(draft: ReplyDraft): (readonly [type: string, data: unknown])[] {
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
