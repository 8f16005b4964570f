import { getMember, type JsonObject } from "../../base/json/json-tree.ts";
import { composeChunkStream, composeJson, composeFinish, splitDraft } from "../base/composed.ts";
import type { WireFamily } from "../base/events.ts";
import {
  createOperation,
  createFacts,
  createModelObjectReader,
  shortenLabel,
  getText,
  getValue,
} from "../base/operation.ts";
import type { ComposedReply, ConversationMessage, Protocol, ReplyDraft } from "../base/protocol.ts";
import { readFields, readList, type Fields } from "../../base/lenient.ts";
import { createTextPart } from "../base/parts.ts";
import { localizeCount, formatPlural } from "../../base/plural.ts";
import { createSettingsReader } from "../base/settings.ts";
import { countsStream, composeChatUsage } from "./chat/protocol.ts";
import { CHAT_FAMILY } from "./chat/reply.ts";
import { createChatStream } from "./chat/stream.ts";

/** Completions, read as chats whose choices have a text instead of a message. */
const COMPLETIONS_FAMILY: WireFamily = {
  usage: "chat",
  reader() {
    const reader = CHAT_FAMILY.reader();
    return { read: (chunk, name) => reader.read(asChat(chunk), name) };
  },
  chunksOf: (fields) => (fields["error"] || Array.isArray(fields["choices"]) ? [fields] : undefined),
};

function asChat(chunk: Fields): Fields {
  const choices = readList(chunk["choices"]).map((one, at) => {
    const { text, index = at, ...choice } = readFields(one);
    return { ...choice, index, delta: { content: text } };
  });
  return { ...chunk, choices };
}

/**
 * OpenAI's older completions of a prompt, which many servers of open models support. Streams end like those of chats.
 * The prompt is optional. Source: platform.openai.com/docs/api-reference/completions, 2026-11.
 */
export const openaiCompletions: Protocol = createOperation({
  operation: "completions",
  // The paths of chats and of Mistral's agents and fill-in-the-middle have the same end.
  path: /(?<!\/(?:chat|fim|agents))\/completions$/,
  body: createModelObjectReader("A completion"),
  facts: (body) => createFacts(body, labelOf(getValue(body, "prompt"))),
  messages: (body) => promptTexts(getValue(body, "prompt")).map(userMessage),
  settings: createSettingsReader("model", "prompt", "stream"),
  family: COMPLETIONS_FAMILY,
  stream: createChatStream(COMPLETIONS_FAMILY),
  compose,
});

function labelOf(prompt: unknown): string {
  const texts = typeof prompt === "string" ? [prompt] : readList(prompt);
  const last = texts.findLast((text) => typeof text === "string" && text.trim() !== "");
  return typeof last === "string"
    ? shortenLabel(last)
    : localizeCount(texts.length, "completion of {0} prompt", "completion of {0} prompts");
}

/** Reads the prompt: a text, several texts, or the tokens of one or several. */
function promptTexts(prompt: unknown): string[] {
  if (typeof prompt === "string") return [prompt];
  const list = readList(prompt);
  if (list.length === 0) return [];
  if (list.every((one) => typeof one === "number")) return [formatPlural(list.length, "token")];
  return list.map((one) => (typeof one === "string" ? one : formatPlural(readList(one).length, "token")));
}

const userMessage = (text: string): ConversationMessage => ({ role: "user", parts: [createTextPart(text)] });

function compose(draft: ReplyDraft, body: JsonObject): ComposedReply {
  const { text } = draft;
  const usage = composeChatUsage(draft);
  const finish = composeFinish(draft, FINISHES);
  const head = {
    id: "cmpl-tapedeck",
    object: "text_completion",
    created: 0,
    model: getText(body, "model") ?? "",
  };
  const choice = (content: string, finish_reason: string | null): object => ({
    ...head,
    choices: [{ index: 0, text: content, logprobs: null, finish_reason }],
  });
  if (getMember(body, "stream") !== true) return composeJson({ ...choice(text, finish), usage });
  return composeChunkStream([
    ...splitDraft(draft).map((line) => choice(line, null)),
    choice("", finish),
    ...(countsStream(body) ? [{ ...head, choices: [], usage }] : []),
  ]);
}

const FINISHES = { stop: "stop", length: "length", "content-filter": "content_filter", "tool-calls": "stop" };
