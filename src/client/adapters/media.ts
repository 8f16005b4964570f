import type { MediaPart, MediaSource } from "../message.ts";

/** A medium as its bytes, where it has them: base64, or a `data:` address. */
interface Inline {
  readonly mediaType: string;
  readonly data: string;
}

export function inlineOf({ source }: MediaPart): Inline | undefined {
  if (source.kind === "base64") return { mediaType: source.mediaType, data: source.data };
  if (source.kind === "id") return undefined;
  const [, mediaType = "", base64, data = ""] =
    /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,(.*)$/is.exec(source.url) ?? [];
  if (data === "") return undefined;
  return { mediaType, data: base64 === undefined ? encodeText(decodeURIComponent(data)) : data };
}

/** A `data:` address of the bytes, or the address that was given. Undefined for a file that a provider holds. */
export function addressOf(part: MediaPart): string | undefined {
  if (part.source.kind === "url") return part.source.url;
  const inline = inlineOf(part);
  return inline === undefined ? undefined : `data:${inline.mediaType};base64,${inline.data}`;
}

/** The type that an address ends in says, e.g. "image/png". */
export function typeByEnding(address: string): string | undefined {
  const ending = /\.([a-z0-9]{2,5})(?:[?#]|$)/i.exec(address)?.[1]?.toLowerCase();
  return TYPES[ending ?? ""];
}

const TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  pdf: "application/pdf",
  txt: "text/plain",
};

/** "wav" of "audio/wav", "mp3" of "audio/mpeg". */
export function audioFormat(mediaType: string): string {
  const kind = mediaType.replace(/^audio\/(?:x-|vnd\.)?/, "").replace(/;.*$/, "");
  return kind === "mpeg" ? "mp3" : kind === "wave" ? "wav" : kind;
}

const encodeText = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** The source that a base64 `data:` address is. */
export function parsedDataUrl(url: string): MediaSource | undefined {
  const [, mediaType, data] = /^data:([^;,]+)(?:;[^;,]*)*?;base64,(.+)$/is.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { kind: "base64", mediaType, data };
}
