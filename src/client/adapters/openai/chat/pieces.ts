import {
  fieldsOf,
  isFields,
  listOf,
  textIn,
  type Fields,
} from "../../../../core/protocol/reading/lenient.ts";
import type { StreamEvent } from "../../../part-stream.ts";
import { parsedDataUrl } from "../../data-url.ts";

/** Where the parts of an answer stand: thinking, audio, text, images, then the tool calls by their own index. */
export const PLACE = { thinking: 0, audio: 1, text: 2, images: 10, calls: 1000 } as const;

/** How audio is to be read: its type, and whether it comes whole. */
export interface AudioReading {
  readonly mediaType: string;
  readonly whole: boolean;
}

/** The pieces that a delta, or a whole message, has of everything but tool calls. */
export function saidPieces(fields: Fields, audio: AudioReading): StreamEvent[] {
  const pieces: StreamEvent[] = [];
  const think = thinkingIn(fields);
  if (think !== undefined) {
    const extras = { openai: { field: think.field } };
    pieces.push({ type: "thinking", index: PLACE.thinking, text: think.text, extras });
  }
  pieces.push(...contentPieces(fields["content"]));
  const refusal = textIn(fields["refusal"]);
  if (refusal !== undefined) pieces.push({ type: "text", index: PLACE.text, text: refusal });
  pieces.push(...audioPieces(fields["audio"], audio), ...imagePieces(fields["images"]));
  return pieces;
}

/** A text; or parts, in which Mistral gives its thoughts. */
function contentPieces(content: unknown): StreamEvent[] {
  const text = textIn(content);
  if (text !== undefined) return [{ type: "text", index: PLACE.text, text }];
  return listOf(content).flatMap((one): StreamEvent[] => {
    const part = fieldsOf(one);
    if (part["type"] !== "thinking") {
      const said = textIn(part["text"]);
      return said === undefined ? [] : [{ type: "text", index: PLACE.text, text: said }];
    }
    const thought =
      textIn(part["thinking"]) ??
      listOf(part["thinking"])
        .map((piece) => textIn(fieldsOf(piece)["text"]) ?? "")
        .join("");
    return thought === "" ? [] : [{ type: "thinking", index: PLACE.thinking, text: thought }];
  });
}

function thinkingIn(fields: Fields): { readonly field: string; readonly text: string } | undefined {
  for (const field of ["reasoning_content", "reasoning"]) {
    const text = textIn(fields[field]);
    if (text !== undefined) return { field, text };
  }
  return undefined;
}

function audioPieces(audio: unknown, { mediaType, whole }: AudioReading): StreamEvent[] {
  if (!isFields(audio)) return [];
  const [id, transcript, data = ""] = [audio["id"], audio["transcript"], audio["data"]].map(textIn);
  if (data === "" && transcript === undefined) return [];
  const said = transcript !== undefined && { transcript };
  if (!whole) return [{ type: "audio", index: PLACE.audio, data, mediaType, ...said }];
  const source = { kind: "base64" as const, mediaType, data };
  const part = {
    type: "audio" as const,
    source,
    ...said,
    ...(id !== undefined && { extras: { openai: { id } } }),
  };
  return [{ type: "media", index: PLACE.audio, part }];
}

/** OpenRouter's way of giving pictures. */
function imagePieces(images: unknown): StreamEvent[] {
  return listOf(images).flatMap((one, index): StreamEvent[] => {
    const url = textIn(fieldsOf(fieldsOf(one)["image_url"])["url"]);
    if (url === undefined) return [];
    const source = parsedDataUrl(url) ?? { kind: "url" as const, url };
    return [{ type: "media", index: PLACE.images + index, part: { type: "image", source } }];
  });
}
