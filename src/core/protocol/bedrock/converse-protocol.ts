import { getMember, type JsonObject } from "../../base/json/json-tree.ts";
import { composeArguments, composeJson, composeFinish, splitDraft, composeUsage } from "../base/composed.ts";
import { bedrockAddress } from "../base/model-address.ts";
import {
  createOperation,
  type Operation,
  labelChat,
  getItems,
  createObjectReader,
} from "../base/operation.ts";
import type { Protocol, ReplyDraft, ToolCallDraft } from "../base/protocol.ts";
import { createStreamRules } from "../base/events.ts";
import { composeEventMessages } from "./event-messages.ts";
import { readConverseMessage, readConverseMessages, readConverseSettings } from "./converse-message.ts";
import { CONVERSE_FAMILY } from "./converse-reply.ts";

const readBody = createObjectReader("Converse", "messages");
const readManaged = createObjectReader("Converse");

const CONVERSE: Operation<JsonObject> = {
  operation: "converse",
  path: bedrockAddress.pathOf("converse"),
  // A request for a managed prompt can have no messages.
  body(request) {
    const { body } = request;
    const isManaged = body.kind === "json" && getMember(body.tree, "promptVariables") !== undefined;
    return (isManaged ? readManaged : readBody)(request);
  },
  facts: (body, { path }) => ({
    model: bedrockAddress.modelIn(path),
    streaming: true,
    label: labelChat(getItems(body, "messages"), (message) => readConverseMessage(message, "user")),
  }),
  messages: readConverseMessages,
  settings: readConverseSettings,
  family: CONVERSE_FAMILY,
  compose: (draft) => composeJson(composeOutput(draft)),
  composesToolCalls: true,
};

/** Bedrock's converse. Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, 2026-11. */
export const bedrockConverse: Protocol = createOperation(CONVERSE);

/**
 * Bedrock's converse as a stream of messages. `messageStop` ends the message; `metadata` with the usage and the end of
 * the body follow. A failure is a message of the type exception.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html, 2026-11.
 */
export const bedrockConverseStream: Protocol = createOperation({
  ...CONVERSE,
  operation: "converse-stream",
  path: bedrockAddress.pathOf("converse-stream"),
  // A message is held back until it is complete, because clients verify its checksum.
  stream: createStreamRules(CONVERSE_FAMILY, { endsWithBody: true }),
  compose: (draft) => composeEventMessages(composeConverseEvents(draft)),
});

const FINISHED = {
  stop: "end_turn",
  length: "max_tokens",
  "content-filter": "content_filtered",
  "tool-calls": "tool_use",
};

function usageOf(draft: ReplyDraft): object {
  const { input, output } = composeUsage(draft);
  return { inputTokens: input, outputTokens: output, totalTokens: input + output };
}

export function composeOutput(draft: ReplyDraft): object {
  const { text, toolCalls = [] } = draft;
  const calls = toolCalls.map((call) => ({
    toolUse: { toolUseId: call.id, name: call.name, input: composeArguments(call) },
  }));
  const content = text === "" && calls.length > 0 ? calls : [{ text }, ...calls];
  return {
    output: { message: { role: "assistant", content } },
    stopReason: composeFinish(draft, FINISHED),
    usage: usageOf(draft),
    metrics: { latencyMs: 0 },
  };
}

export function composeConverseEvents(draft: ReplyDraft): (readonly [type: string, data: unknown])[] {
  return [
    ["messageStart", { role: "assistant" }],
    ...splitDraft(draft).map(
      (text) => ["contentBlockDelta", { contentBlockIndex: 0, delta: { text } }] as const,
    ),
    ["contentBlockStop", { contentBlockIndex: 0 }],
    ...(draft.toolCalls ?? []).flatMap(callEvents),
    ["messageStop", { stopReason: composeFinish(draft, FINISHED) }],
    ["metadata", { usage: usageOf(draft), metrics: { latencyMs: 0 } }],
  ];
}

function callEvents(call: ToolCallDraft, index: number): (readonly [type: string, data: unknown])[] {
  const at = { contentBlockIndex: index + 1 };
  return [
    ["contentBlockStart", { ...at, start: { toolUse: { toolUseId: call.id, name: call.name } } }],
    ["contentBlockDelta", { ...at, delta: { toolUse: { input: call.arguments } } }],
    ["contentBlockStop", at],
  ];
}
