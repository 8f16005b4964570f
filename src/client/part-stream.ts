import type { Extras, MediaPart } from "./message.ts";
import type { FinishReason } from "./reply.ts";
import type { Usage } from "./usage.ts";

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

export interface TextPiece {
  readonly type: "text";
  readonly index: number;
  readonly text: string;
  readonly signature?: string;
  readonly extras?: Extras;
}

export interface ThinkingPiece {
  readonly type: "thinking";
  readonly index: number;
  readonly text: string;
  /** The last one stands. */
  readonly signature?: string;
  readonly extras?: Extras;
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
export interface ToolCallPiece {
  readonly type: "tool-call";
  readonly index: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: string;
  readonly signature?: string;
  readonly extras?: Extras;
}

/** Pieces that add to a part of the message. */
export type PartPiece = TextPiece | ThinkingPiece | MediaPiece | AudioPiece | ToolCallPiece;
