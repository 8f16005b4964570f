import type { Message as CoreMessage, MediaPart, MediaSource, Part, TextPart } from "../../message.ts";
import { ChatProviderError } from "./errors.ts";
import { message, type Message } from "./message.ts";
import { audioURLPart, imageURLPart, textPart, thinkPart, toolCall, videoURLPart } from "./parts.ts";
import type { ContentPart, MediaUrl, ToolCall } from "./parts.ts";

/** kosong's message in the core's terms. */
export function coreMessage({ role, name, content, toolCalls, toolCallId }: Message): CoreMessage {
  const said = content.map(corePart);
  const calls = (toolCalls ?? []).map(coreCall);
  const named: { readonly name?: string } = name === null ? {} : { name };
  if (toolCallId === null) return { role, parts: [...said, ...calls], ...named };
  const [only] = said;
  const bare = said.length === 1 && only?.type === "text" ? only.text : undefined;
  const parts = said.filter(isResultPart);
  return { role, parts: [{ type: "tool-result", callId: toolCallId, content: bare ?? parts, ...named }] };
}

/** Thoughts do not stand in a tool's result. */
function isResultPart(part: Part): part is TextPart | MediaPart {
  return part.type === "text" || "source" in part;
}

/** The core's message in kosong's terms: one for each tool result, else one. @throws ChatProviderError for a file. */
export function kosongMessages({ role, name: given, parts }: CoreMessage): readonly Message[] {
  const name = given ?? null;
  const results = parts.filter((part) => part.type === "tool-result");
  if (results.length > 0) {
    return results.map((result) => {
      const content = typeof result.content === "string" ? result.content : result.content.map(contentPart);
      return message({ role: "tool", content, toolCallId: result.callId, name: result.name ?? name });
    });
  }
  const calls = parts.filter((part) => part.type === "tool-call").map(kosongCall);
  const content = parts.filter((part) => part.type !== "tool-call").map(contentPart);
  return [message({ role, name, content, toolCalls: calls.length > 0 ? calls : null })];
}

/** A content part in the core's terms. */
export function corePart(part: ContentPart): Part {
  switch (part.type) {
    case "text":
      return part;
    case "think": {
      const { think: text, encrypted } = part;
      return { type: "thinking", text, ...(encrypted !== null && { signature: encrypted }) };
    }
    case "image_url":
      return { type: "image", ...mediaOf(part.image_url) };
    case "audio_url":
      return { type: "audio", ...mediaOf(part.audio_url) };
    case "video_url":
      break;
  }
  return { type: "video", ...mediaOf(part.video_url) };
}

export function coreCall({
  id,
  function: { name, arguments: written },
  extras,
}: ToolCall): Part & { type: "tool-call" } {
  return { type: "tool-call", id, name, arguments: written ?? "", ...(extras !== null && { extras }) };
}

export function kosongCall(part: Part & { type: "tool-call" }): ToolCall {
  return toolCall(part.id, part.name, { arguments: part.arguments, extras: part.extras ?? null });
}

/** A part of the core's as content. @throws ChatProviderError for what kosong has no part for. */
export function contentPart(part: Part): ContentPart {
  switch (part.type) {
    case "text":
      return textPart(part.text);
    case "thinking":
      return thinkPart(part.text, part.signature ?? null);
    case "image":
      return imageURLPart(...addressOf(part));
    case "audio":
      return audioURLPart(...addressOf(part));
    case "video":
      return videoURLPart(...addressOf(part));
    case "file":
    case "tool-call":
    case "tool-result":
      break;
  }
  throw new ChatProviderError(`kosong has no content part for a ${part.type} part.`, "validation");
}

function mediaOf({ url, id }: MediaUrl): {
  readonly source: MediaSource;
  readonly extras?: { readonly id: string };
} {
  return { source: { kind: "url", url }, ...(id !== null && { extras: { id } }) };
}

function addressOf({ type, source, extras }: MediaPart): [url: string, id: string | null] {
  const id = extras?.["id"];
  const known = typeof id === "string" ? id : null;
  if (source.kind === "url") return [source.url, known];
  if (source.kind === "base64") return [`data:${source.mediaType};base64,${source.data}`, known];
  throw new ChatProviderError(
    `kosong has no address for a ${type} that is a file of the provider's.`,
    "validation",
  );
}
