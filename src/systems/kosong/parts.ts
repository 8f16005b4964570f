import { type Fields, isFields } from "../../core/base/lenient.ts";
import { showValue, typeName } from "../../client/json/plain.ts";
import { ChatProviderError, validationError } from "./errors.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";

/** Parts have their written form in memory too, so that kosong's stored messages need no mapping. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

export interface ThinkPart {
  readonly type: "think";
  readonly think: string;
  /** The signature that closes a thought. */
  readonly encrypted: string | null;
}

/** Address of a medium: a web address or a `data:` address. */
export interface MediaUrl {
  readonly url: string;
  readonly id: string | null;
}

export interface ImageURLPart {
  readonly type: "image_url";
  readonly image_url: MediaUrl;
}

export interface AudioURLPart {
  readonly type: "audio_url";
  readonly audio_url: MediaUrl;
}

export interface VideoURLPart {
  readonly type: "video_url";
  readonly video_url: MediaUrl;
}

export type ContentPart = TextPart | ThinkPart | ImageURLPart | AudioURLPart | VideoURLPart;

export interface ToolCall {
  readonly type: "function";
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string | null };
  readonly extras: Fields | null;
}

/** A piece of the arguments of the call before it. It has no type, ID, or index. */
export interface ToolCallPart {
  readonly arguments_part: string | null;
}

export type StreamedMessagePart = ContentPart | ToolCall | ToolCallPart;

export const textPart = (text: string): TextPart => ({ type: "text", text });

export const thinkPart = (think: string, encrypted: string | null = null): ThinkPart => ({
  type: "think",
  think,
  encrypted,
});

export const imageURLPart = (url: string, id: string | null = null): ImageURLPart => ({
  type: "image_url",
  image_url: { url, id },
});

export const audioURLPart = (url: string, id: string | null = null): AudioURLPart => ({
  type: "audio_url",
  audio_url: { url, id },
});

export const videoURLPart = (url: string, id: string | null = null): VideoURLPart => ({
  type: "video_url",
  video_url: { url, id },
});

export const toolCallPart = (argumentsPart: string | null): ToolCallPart => ({
  arguments_part: argumentsPart,
});

export function toolCall(
  id: string,
  name: string,
  given: { readonly arguments?: string | null; readonly extras?: Fields | null } = {},
): ToolCall {
  const body = { name, arguments: given.arguments ?? null };
  return { type: "function", id, function: body, extras: given.extras ?? null };
}

export function isToolCallPart(part: StreamedMessagePart): part is ToolCallPart {
  return isFields(part) && "arguments_part" in part;
}

export function isToolCall(part: StreamedMessagePart): part is ToolCall {
  return isFields(part) && part["type"] === "function";
}

export function isContentPart(part: StreamedMessagePart): part is ContentPart {
  return isFields(part) && !isToolCallPart(part) && !isToolCall(part);
}

/** Reads a content part back from its written form. @throws ChatProviderError that names the type or the field. */
export function loadContentPart(value: unknown): ContentPart {
  if (!isFields(value)) throw new ChatProviderError(`A content part is expected, got ${typeName(value)}.`);
  const { type } = value;
  switch (type) {
    case "text":
      return textPart(textField(value, "text"));
    case "think":
      return thinkPart(textField(value, "think"), textOrNull(value, "encrypted"));
    case "image_url":
    case "audio_url":
    case "video_url":
      return mediaPart(type, value);
    default:
      throw new ChatProviderError(`Unknown content part type: ${showValue(type)}`);
  }
}

/** Reads a tool call back from its written form. @throws ChatProviderError that names the field. */
export function loadToolCall(value: unknown): ToolCall {
  if (!isFields(value)) throw new ChatProviderError(`A tool call is expected, got ${typeName(value)}.`);
  const body = value["function"];
  if (!isFields(body)) throw new ChatProviderError(`function must be an object, got ${typeName(body)}.`);
  const extras = value["extras"] ?? null;
  if (extras !== null && !isFields(extras))
    throw new ChatProviderError(`extras must be an object or null, got ${typeName(extras)}.`);
  return toolCall(textField(value, "id"), textField(body, "name"), {
    arguments: textOrNull(body, "arguments"),
    extras,
  });
}

/** Reads any part of a stream from its written form. @throws ChatProviderError that names the type or the field. */
export function loadStreamedPart(value: unknown): StreamedMessagePart {
  if (!isFields(value)) throw new ChatProviderError(`A part is expected, got ${typeName(value)}.`);
  if (value["type"] === "function") return loadToolCall(value);
  if (value["type"] === undefined && "arguments_part" in value)
    return toolCallPart(textOrNull(value, "arguments_part"));
  return loadContentPart(value);
}

/** Reads a list of parts. @throws ChatProviderError "validation" that names the position of an invalid part. */
export function loadStreamedParts(parts: unknown): readonly StreamedMessagePart[] {
  if (!Array.isArray(parts)) throw validationError(`A list of parts is expected, got ${typeName(parts)}.`);
  return parts.map((part: unknown, index) => {
    try {
      return loadStreamedPart(part);
    } catch (error) {
      const fault = describeThrown(error);
      throw validationError(`parts[${index}]: ${fault}`);
    }
  });
}

function mediaPart(type: "image_url" | "audio_url" | "video_url", value: Fields): ContentPart {
  const medium = value[type];
  if (!isFields(medium)) throw new ChatProviderError(`${type} must be an object, got ${typeName(medium)}.`);
  const [url, id] = [textField(medium, "url"), textOrNull(medium, "id")];
  return { image_url: imageURLPart, audio_url: audioURLPart, video_url: videoURLPart }[type](url, id);
}

function textField(owner: Fields, field: string): string {
  const value = owner[field];
  if (typeof value === "string") return value;
  throw new ChatProviderError(`${field} must be text, got ${typeName(value)}.`);
}

function textOrNull(owner: Fields, field: string): string | null {
  return owner[field] === undefined || owner[field] === null ? null : textField(owner, field);
}

/** Returns both parts as one, or undefined if `other` cannot be merged into the first. Neither is changed. */
export function merged(
  into: StreamedMessagePart,
  other: StreamedMessagePart,
): StreamedMessagePart | undefined {
  if (isToolCallPart(into))
    return isToolCallPart(other)
      ? toolCallPart(appendText(into.arguments_part, other.arguments_part))
      : undefined;
  if (isToolCall(into)) return isToolCallPart(other) ? withArguments(into, other.arguments_part) : undefined;
  return isToolCallPart(other) || isToolCall(other) ? undefined : mergedContent(into, other);
}

/** Merges `other` into `into`, which must be the caller's copy. Returns whether the two could be merged. */
export function mergeInPlace(into: StreamedMessagePart, other: StreamedMessagePart): boolean {
  const joined = merged(into, other);
  if (joined !== undefined) Object.assign(into, joined);
  return joined !== undefined;
}

function mergedContent(into: ContentPart, other: ContentPart): ContentPart | undefined {
  if (into.type === "text" && other.type === "text") return textPart(into.text + other.text);
  return into.type === "think" && other.type === "think" ? mergedThought(into, other) : undefined;
}

/** Joins two thoughts. Undefined if the first one has a signature, which closes it. */
function mergedThought(into: ThinkPart, other: ThinkPart): ThinkPart | undefined {
  if (into.encrypted) return undefined;
  return thinkPart(into.think + other.think, other.encrypted ? other.encrypted : into.encrypted);
}

function withArguments(call: ToolCall, piece: string | null): ToolCall {
  return { ...call, function: { ...call.function, arguments: appendText(call.function.arguments, piece) } };
}

function appendText(known: string | null, piece: string | null): string | null {
  return known === null ? piece : known + (piece ?? "");
}
