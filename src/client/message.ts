/** The conversation as every system of the core sees it. Values: nothing here is ever changed after it was made. */

import { wrongArgument } from "../core/base/errors.ts";
import { isFields } from "../core/base/lenient.ts";

export type Role = "system" | "user" | "assistant" | "tool";

export const ROLES: readonly Role[] = ["system", "user", "assistant", "tool"];

/** What only one provider understands; its adapter passes it through, all others leave it alone. */
export type Extras = Readonly<Record<string, unknown>>;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** The provider's proof of what it said (Gemini's thought signature); sent back as it came. */
  readonly signature?: string;
  readonly extras?: Extras;
}

export interface ThinkingPart {
  readonly type: "thinking";
  /** Empty where the provider keeps its thoughts to itself and gives only a signature. */
  readonly text: string;
  /** Anthropic's signature, or encrypted thoughts; sent back as it came. */
  readonly signature?: string;
  readonly extras?: Extras;
}

/** Where the content of a medium is: an address (`https:` or `data:`), base64 text, or a file the provider holds. */
export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "id"; readonly id: string };

export interface ImagePart {
  readonly type: "image";
  readonly source: MediaSource;
  /** How closely to look, in the provider's own words ("low", "high", "auto"). */
  readonly detail?: string;
  /** In pixels, where they are known: they decide what the image costs. */
  readonly dimensions?: { readonly width: number; readonly height: number };
  readonly extras?: Extras;
}

export interface AudioPart {
  readonly type: "audio";
  readonly source: MediaSource;
  readonly transcript?: string;
  readonly extras?: Extras;
}

export interface VideoPart {
  readonly type: "video";
  readonly source: MediaSource;
  readonly extras?: Extras;
}

export interface FilePart {
  readonly type: "file";
  readonly source: MediaSource;
  readonly name?: string;
  readonly extras?: Extras;
}

export interface ToolCallPart {
  readonly type: "tool-call";
  /** Empty only where the provider gives none and the adapter makes none. */
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it, which need not be valid; `parseArguments` reads it. */
  readonly arguments: string;
  readonly signature?: string;
  readonly extras?: Extras;
}

export type MediaPart = ImagePart | AudioPart | VideoPart | FilePart;

export interface ToolResultPart {
  readonly type: "tool-result";
  readonly callId: string;
  /** The tool's name, which Gemini and Ollama ask for. */
  readonly name?: string;
  readonly content: string | readonly (TextPart | MediaPart)[];
  readonly isError?: boolean;
  readonly extras?: Extras;
}

export type Part = TextPart | ThinkingPart | MediaPart | ToolCallPart | ToolResultPart;

export const PART_TYPES: readonly Part["type"][] = [
  "text",
  "thinking",
  "image",
  "audio",
  "video",
  "file",
  "tool-call",
  "tool-result",
];

export interface Message {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** Who speaks, where several share a role. */
  readonly name?: string;
  readonly extras?: Extras;
}

/** @throws TapedeckError `tapedeck_usage` for what no message is */
export function expectMessage(message: unknown, where = "message"): void {
  if (!isFields(message)) throw wrongArgument(where, "a message", message);
  if (!Array.isArray(message["parts"])) throw wrongArgument(`${where}.parts`, "a list", message["parts"]);
}

export function textOf(message: Message, separator = ""): string {
  expectMessage(message);
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(separator);
}

export function toolCallsOf(message: Message): readonly ToolCallPart[] {
  expectMessage(message);
  return message.parts.filter((part) => part.type === "tool-call");
}
