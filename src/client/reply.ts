import { addNumbers } from "../core/base/add-numbers.ts";
import type { MediaPart, Message, TextPart, ThinkingPart, ToolCallPart } from "./message.ts";

/** Why the model stopped; "other" for any other reason of the provider. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "error" | "other";

export interface ChatReply {
  /** Its role is "assistant". */
  readonly message: Message;
  readonly finishReason: FinishReason;
  /** The provider's finish reason. */
  readonly rawFinishReason?: string;
  /** Absent if the provider sent none. */
  readonly usage?: Usage;
  readonly id?: string;
  /** The model that answered, which can differ from the requested one. */
  readonly model?: string;
}

/**
 * An event of a streamed answer. `index` identifies the part of the message: pieces of one index are joined in order, and
 * parts are sorted by index. Pieces of several parts can be interleaved, and indexes can have gaps.
 */
export type StreamEvent =
  | { readonly type: "start"; readonly id?: string; readonly model?: string }
  | TextPiece
  | ThinkingPiece
  | MediaPiece
  | ToolCallPiece
  /** The usage so far; a later one replaces an earlier one. */
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly rawReason?: string };

export interface TextPiece extends TextPart {
  readonly index: number;
}

/** A piece of thoughts. The last signature counts. */
export interface ThinkingPiece extends ThinkingPart {
  readonly index: number;
}

/** A whole image, audio, video, or file. */
export interface MediaPiece {
  readonly type: "media";
  readonly index: number;
  readonly part: MediaPart;
}

/** A piece of a tool call. The first ID and name count; arguments are appended. */
export interface ToolCallPiece extends Partial<Omit<ToolCallPart, "type">> {
  readonly type: "tool-call";
  readonly index: number;
}

/** Pieces that add to a part of the message. */
export type PartPiece = TextPiece | ThinkingPiece | MediaPiece | ToolCallPiece;

/** Tokens of one call with the same meaning for all providers. The first four counts do not overlap. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  readonly uncachedInputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** All tokens of the answer, including thinking. */
  readonly outputTokens: number;
  /** Thinking tokens of the output; 0 if the provider does not report them. */
  readonly reasoningTokens: number;
  /** The provider's counts. */
  readonly raw?: unknown;
}

export const NO_USAGE: Usage = {
  uncachedInputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

/** Makes a usage from known counts; the others are 0. */
export const usage = (known: Partial<Usage>): Usage => ({ ...NO_USAGE, ...known });

/** Returns all tokens of the prompt. */
export function inputTokens(given: Usage): number {
  const { uncachedInputTokens, cacheReadTokens, cacheWriteTokens } = given;
  return uncachedInputTokens + cacheReadTokens + cacheWriteTokens;
}

export const totalTokens = (counted: Usage): number => inputTokens(counted) + counted.outputTokens;

/** Adds the usage of two calls, without the providers' counts. */
export function addUsage(a: Usage, b: Usage): Usage {
  return addNumbers<Omit<Usage, "raw">>(NO_USAGE, a, b);
}
