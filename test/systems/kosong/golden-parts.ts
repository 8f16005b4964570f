import {
  audioURLPart,
  imageURLPart,
  isToolCall,
  isToolCallPart,
  textPart,
  thinkPart,
  toolCall,
  toolCallPart,
  videoURLPart,
  type StreamedMessagePart,
} from "../../../src/systems/kosong/index.ts";

/** The shorthand in which golden rows write parts. */
export interface Shorthand {
  readonly t: "text" | "think" | "image" | "audio" | "video" | "call" | "part";
  readonly v?: string | null;
  readonly enc?: string | null;
  readonly id?: string | null;
  readonly name?: string;
  readonly args?: string | null;
  readonly extras?: Record<string, unknown>;
}

export function partFrom({ t, v, enc, id, name = "", args, extras }: Shorthand): StreamedMessagePart {
  switch (t) {
    case "text":
      return textPart(v ?? "");
    case "think":
      return thinkPart(v ?? "", enc ?? null);
    case "image":
      return imageURLPart(v ?? "", id ?? null);
    case "audio":
      return audioURLPart(v ?? "", id ?? null);
    case "video":
      return videoURLPart(v ?? "", id ?? null);
    case "call":
      return toolCall(id ?? "", name, { arguments: args ?? null, extras: extras ?? null });
    case "part":
      break;
  }
  return toolCallPart(v ?? null);
}

const CLASSES = {
  text: "TextPart",
  think: "ThinkPart",
  image_url: "ImageURLPart",
  audio_url: "AudioURLPart",
  video_url: "VideoURLPart",
};

/** The name of a part's class in the original. */
export function classOf(part: StreamedMessagePart): string {
  if (isToolCallPart(part)) return "ToolCallPart";
  return isToolCall(part) ? "ToolCall" : CLASSES[part.type];
}

/** A part as golden rows show it. */
export function shownPart(part: StreamedMessagePart): Record<string, unknown> {
  return { ...part, $class: classOf(part) };
}
