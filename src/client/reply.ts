import { addNumbers } from "../core/base/add-numbers.ts";
import { wrongArgument } from "../core/base/errors.ts";
import { isFields } from "../core/base/lenient.ts";
import type { MediaPart, Message, TextPart, ThinkingPart, ToolCallPart } from "./message.ts";

/** Why the model stopped; "other" where the provider's word means none of these. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "error" | "other";

export interface ChatReply {
  /** Its role is "assistant". */
  readonly message: Message;
  readonly finishReason: FinishReason;
  /** The provider's own word for it. */
  readonly rawFinishReason?: string;
  /** Absent where the provider gave none: never zeros in its place. */
  readonly usage?: Usage;
  readonly id?: string;
  /** The model that answered, which may be another than was asked. */
  readonly model?: string;
  /** The parsed structured answer, where one was asked for. */
  readonly output?: unknown;
  /** The provider's own answer: its body, or nothing for a stream. */
  readonly raw?: unknown;
}

/**
 * A piece of a streamed answer. `index` names the part of the message that a piece belongs to: pieces of one index are
 * joined in the order in which they come, parts stand in the message by ascending index, and pieces of several parts
 * may come interleaved. Indices need not be contiguous.
 */
export type StreamEvent =
  | { readonly type: "start"; readonly id?: string; readonly model?: string }
  | TextPiece
  | ThinkingPiece
  | MediaPiece
  | AudioPiece
  | ToolCallPiece
  /** The usage as known so far: a later one replaces an earlier one, it is never added. */
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly rawReason?: string }
  /** The parsed structured answer, where one was asked for. */
  | { readonly type: "output"; readonly output: unknown }
  /** The provider's own chunk, told before the events that were made of it. */
  | { readonly type: "raw"; readonly chunk: unknown };

export interface TextPiece extends TextPart {
  readonly index: number;
}

/** Of several signatures the last one stands. */
export interface ThinkingPiece extends ThinkingPart {
  readonly index: number;
}

/** A whole image, audio, video or file. */
export interface MediaPiece {
  readonly type: "media";
  readonly index: number;
  readonly part: MediaPart;
}

/** A piece of spoken audio: base64 text that is appended, and what of it is known in words. */
export interface AudioPiece {
  readonly type: "audio";
  readonly index: number;
  readonly data: string;
  readonly mediaType?: string;
  readonly transcript?: string;
}

/** The first id and name that come stand; arguments are appended. */
export interface ToolCallPiece extends Partial<Omit<ToolCallPart, "type">> {
  readonly type: "tool-call";
  readonly index: number;
}

/** Pieces that add to a part of the message. */
export type PartPiece = TextPiece | ThinkingPiece | MediaPiece | AudioPiece | ToolCallPiece;

/** Tokens of one call in one meaning for all providers; the four counts do not overlap. */
export interface Usage {
  /** Of the prompt, what neither came from a cache nor went into one. */
  readonly uncachedInputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** All that the model wrote, its thinking included. */
  readonly outputTokens: number;
  /** How much of the output was thinking; 0 where the provider does not say. */
  readonly reasoningTokens: number;
  /** The provider's own numbers. */
  readonly raw?: unknown;
}

export const NO_USAGE: Usage = {
  uncachedInputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** A usage from what is known; the rest counts 0. */
export const usage = (known: Partial<Usage>): Usage => ({ ...NO_USAGE, ...known });

/** @throws TapedeckError `tapedeck_usage` for what counts nothing */
function expectUsage(counted: unknown, where: string): void {
  if (!isFields(counted)) throw wrongArgument(where, "what was used", counted);
}

/** All of the prompt. */
export function inputTokens(given: Usage): number {
  expectUsage(given, "usage");
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens } = given;
  return uncachedInputTokens + cacheReadTokens + cacheWriteTokens;
}

export const totalTokens = (counted: Usage): number => inputTokens(counted) + counted.outputTokens;

/** The sum of two calls; what the providers said of each is left out. */
export function addUsage(a: Usage, b: Usage): Usage {
  expectUsage(a, "a");
  expectUsage(b, "b");
  return addNumbers<Omit<Usage, "raw">>(NO_USAGE, a, b);
}
