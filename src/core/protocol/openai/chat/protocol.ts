import { getMember, type JsonObject } from "../../../base/json/json-tree.ts";
import {
  composeChunkStream,
  composeJson,
  composeFinish,
  composeFunctionCall,
  splitDraft,
  composeUsage,
} from "../../base/composed.ts";
import {
  createChatReaders,
  createOperation,
  type Operation,
  createModelObjectReader,
  getText,
  getValue,
} from "../../base/operation.ts";
import type { ComposedReply, Protocol, ReplyDraft } from "../../base/protocol.ts";
import { createSettingsReader } from "../../base/settings.ts";
import { readChatMessage } from "./message.ts";
import { CHAT_FAMILY } from "./reply.ts";
import { createChatStream } from "./stream.ts";

/** Chat completions, and operations that differ from them only in the request. */
export const CHAT: Operation<JsonObject> = {
  operation: "chat.completions",
  path: "/chat/completions",
  body: createModelObjectReader("A chat completion", "messages"),
  ...createChatReaders(readChatMessage),
  settings: createSettingsReader("model", "messages", "stream"),
  family: CHAT_FAMILY,
  stream: createChatStream(CHAT_FAMILY),
  compose: composeChat,
  composesToolCalls: true,
};

/**
 * Chat completions of OpenAI and compatible servers.
 * Source: platform.openai.com/docs/api-reference/chat, 2026-11.
 */
export const openaiChat: Protocol = createOperation(CHAT);

const FINISHED = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
};

/** Composes the usage of OpenAI and Mistral. */
export function composeChatUsage(draft: ReplyDraft): object {
  const { input, output } = composeUsage(draft);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

/** Composes the message of a draft. Its content is null if it only calls tools. */
function messageOf({ text, toolCalls = [] }: ReplyDraft): object {
  const content = text === "" && toolCalls.length > 0 ? null : text;
  const tool_calls = toolCalls.map(composeFunctionCall);
  return { role: "assistant", content, refusal: null, ...(tool_calls.length > 0 && { tool_calls }) };
}

/** Composes a completion with the draft's text and tool calls for each requested choice. */
export function composeChat(draft: ReplyDraft, body: JsonObject): ComposedReply {
  const head = (object: string): object => ({
    id: "chatcmpl-tapedeck",
    object,
    created: 0,
    model: getText(body, "model") ?? "",
  });
  const choices = (content: object, finish_reason: string | null): object[] =>
    indexes(body).map((index) => ({ index, ...content, logprobs: null, finish_reason }));
  if (getMember(body, "stream") !== true) {
    return composeJson({
      ...head("chat.completion"),
      choices: choices({ message: messageOf(draft) }, composeFinish(draft, FINISHED)),
      usage: composeChatUsage(draft),
    });
  }
  const isCounted = countsStream(body);
  const chunk = (delta: object, reason: string | null = null): object => ({
    ...head("chat.completion.chunk"),
    choices: choices({ delta }, reason),
    ...(isCounted && { usage: null }),
  });
  return composeChunkStream([
    chunk({ role: "assistant", content: "", refusal: null }),
    ...splitDraft(draft).map((content) => chunk({ content })),
    ...(draft.toolCalls ?? []).map((call, index) =>
      chunk({ tool_calls: [{ index, ...composeFunctionCall(call) }] }),
    ),
    chunk({}, composeFinish(draft, FINISHED)),
    ...(isCounted ? [{ ...chunk({}), choices: [], usage: composeChatUsage(draft) }] : []),
  ]);
}

export function countsStream(body: JsonObject): boolean {
  return getMember(getMember(body, "stream_options"), "include_usage") === true;
}

/** Returns the indexes of the requested choices. The provider allows up to 128. */
function indexes(body: JsonObject): number[] {
  const count = getValue(body, "n");
  const isCount = typeof count === "number" && Number.isInteger(count);
  return Array.from({ length: isCount ? Math.min(Math.max(count, 1), 128) : 1 }, (_, index) => index);
}
