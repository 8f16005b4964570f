/** The neutral format of conversations. All objects are immutable. */

export type Role = "system" | "user" | "assistant" | "tool";

export const ROLES: readonly Role[] = ["system", "user", "assistant", "tool"];

/** Members for a single provider, which others ignore. */
export type Extras = Readonly<Record<string, unknown>>;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  /** The provider's signature of the text (Gemini's thought signature), sent back unchanged. */
  readonly signature?: string;
  readonly extras?: Extras;
}

export interface ThinkingPart {
  readonly type: "thinking";
  /** Empty if the provider hides its thoughts and sends only a signature. */
  readonly text: string;
  /** Anthropic's signature, or encrypted thoughts, sent back unchanged. */
  readonly signature?: string;
  readonly extras?: Extras;
}

/** Location of a medium's content: a URL (`https:` or `data:`), base64, or a file that the provider stores. */
export type MediaSource =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "id"; readonly id: string };

export interface ImagePart {
  readonly type: "image";
  readonly source: MediaSource;
  /** Level of detail, with the provider's values ("low", "high", "auto"). */
  readonly detail?: string;
  readonly extras?: Extras;
}

export interface AudioPart {
  readonly type: "audio";
  readonly source: MediaSource;
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
  /** Empty if the provider sets none. */
  readonly id: string;
  readonly name: string;
  /** JSON text of the model, which can be invalid; `parseArguments` reads it. */
  readonly arguments: string;
  readonly signature?: string;
  readonly extras?: Extras;
}

export type MediaPart = ImagePart | AudioPart | VideoPart | FilePart;

export interface ToolResultPart {
  readonly type: "tool-result";
  readonly callId: string;
  /** The tool's name, which Gemini and Ollama require. */
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
  /** Name of the participant, if several share a role. */
  readonly name?: string;
  readonly extras?: Extras;
}

export function textOf(message: Message, separator = ""): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(separator);
}

export function toolCallsOf(message: Message): readonly ToolCallPart[] {
  return message.parts.filter((part) => part.type === "tool-call");
}
