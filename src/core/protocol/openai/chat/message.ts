import { localize } from "../../../base/localize.ts";
import { readFields, stringifyJson, readList, readText, type Fields } from "../../../base/lenient.ts";
import { createMediaAt, createMedia, createNamedMedia } from "../../base/media.ts";
import {
  createCallPart,
  createCitationParts,
  createOtherPart,
  readContentParts,
  createResultPart,
  createTextPart,
  createThinkingParts,
  createPartReader,
} from "../../base/parts.ts";
import type { ConversationMessage, ConversationPart } from "../../base/protocol.ts";

/**
 * Reads a message of a request or a reply: thinking, then content, then calls.
 * Source: platform.openai.com/docs/api-reference/chat/create, 2026-11; `reasoning_content` (DeepSeek, Z.ai, xAI),
 * `reasoning` (OpenRouter, Groq), content parts of type `thinking` (Mistral), `images` and `reasoning_details`
 * (openrouter typescript-sdk `ChatAssistantMessage`) and `executed_tools` (groq-typescript `ChatCompletionMessage`) are
 * those providers' additions.
 */
export function readChatMessage(value: unknown, defaultRole: string): ConversationMessage {
  const fields = readFields(value);
  const role = readText(fields["role"]) ?? defaultRole;
  const parts = role === "tool" || role === "function" ? resultParts(fields) : spokenParts(fields);
  return { role, parts };
}

function spokenParts(fields: Fields): ConversationPart[] {
  const thinking =
    readText(fields["reasoning_content"]) ?? readText(fields["reasoning"]) ?? readDetailedThinking(fields);
  const refusal = readText(fields["refusal"]);
  return [
    ...createThinkingParts(thinking),
    ...readContentParts(fields["content"], contentPart),
    ...readContentParts(fields["images"], contentPart),
    ...createCitationParts(fields["annotations"]),
    ...readList(fields["executed_tools"]).map(readExecutedPart),
    ...(refusal === undefined ? [] : [createOtherPart("refusal", refusal)]),
    ...audioParts(fields["audio"]),
    ...readList(fields["tool_calls"]).map(readToolCallPart),
    ...(fields["function_call"] ? [namedCall(undefined, readFields(fields["function_call"]))] : []),
  ];
}

/** Reads the result of a tool; its images follow its text. */
function resultParts(fields: Fields): ConversationPart[] {
  const id = readText(fields["tool_call_id"]) ?? fields["name"];
  const parts = readContentParts(fields["content"], contentPart);
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return [createResultPart(id, text), ...parts.filter((part) => part.type !== "text")];
}

/** Readers of the content parts that OpenAI's chats and responses have in common. */
export const REFUSAL_AND_AUDIO = {
  refusal: ({ refusal }: Fields) =>
    typeof refusal === "string" ? createOtherPart("refusal", refusal) : undefined,
  input_audio: ({ input_audio: audio }: Fields) => {
    const { data, format } = readFields(audio);
    if (typeof data !== "string") return undefined;
    return createMedia("audio", `audio/${readText(format) ?? "wav"}`, data);
  },
};

/** Readers of content parts by type; they return undefined for a part that does not match its type. */
export const contentPart = createPartReader({
  ...REFUSAL_AND_AUDIO,
  text: ({ text }) => (typeof text === "string" ? createTextPart(text) : undefined),
  thinking: ({ thinking }) => ({ type: "thinking", text: readThinkingText(thinking) }),
  image_url: ({ image_url: image }) => mediaIn("image", image),
  video_url: ({ video_url: video }) => mediaIn("video", video),
  file: ({ file }) => filePart(readFields(file)),
});

function filePart(fields: Fields): ConversationPart | undefined {
  const data = readText(fields["file_data"]);
  const name = readText(fields["filename"]);
  if (data !== undefined) return createMediaAt("file", data, name);
  const id = readText(fields["file_id"]) ?? name;
  return id === undefined ? undefined : createNamedMedia("file", id);
}

function mediaIn(media: "image" | "video", value: unknown): ConversationPart | undefined {
  const fields = readFields(value);
  const url = readText(value) ?? readText(fields["url"]);
  const detail = readText(fields["detail"]);
  return url === undefined ? undefined : createMediaAt(media, url, detail && `detail ${detail}`);
}

function audioParts(value: unknown): ConversationPart[] {
  const fields = readFields(value);
  const transcript = readText(fields["transcript"]);
  const id = readText(fields["id"]);
  if (transcript === undefined && id === undefined) return [];
  return [createNamedMedia("audio", transcript ?? `audio ${id}`)];
}

export function readToolCallPart(value: unknown): ConversationPart {
  const fields = readFields(value);
  const called = fields["function"] || fields["custom"];
  if (called) return namedCall(fields["id"], readFields(called));
  return createOtherPart(readText(fields["type"]) ?? localize("tool call"), stringifyJson(value));
}

function namedCall(id: unknown, { name, arguments: given, input }: Fields): ConversationPart {
  return createCallPart(id, name, given ?? input ?? "");
}

/** Joins the readable thoughts in `reasoning_details`. */
export function readDetailedThinking(fields: Fields): string | undefined {
  const details = readList(fields["reasoning_details"]).map(readFields);
  const texts = details.map((one) => readText(one["text"]) ?? readText(one["summary"]) ?? "");
  return readText(texts.join(""));
}

/** Reads a call of the provider's own tool, with its output. */
export function readExecutedPart(value: unknown): ConversationPart {
  const { type, arguments: given, output } = readFields(value);
  const text = [given, output].flatMap((one) => readText(one) ?? []).join("\n");
  return createOtherPart(`executed ${readText(type) ?? "tool"}`, text || stringifyJson(value));
}

export function readThinkingText(thinking: unknown): string {
  if (typeof thinking === "string") return thinking;
  return readList(thinking)
    .map((piece) => readText(readFields(piece)["text"]) ?? "")
    .join("");
}
