import { isBase64 } from "../core/base/base64.ts";
import type { MediaPart } from "./message.ts";

/**
 * Checks a media part without fetching it. Returns the fault: an invalid URL, invalid base64, a type that does not match
 * the part, or bytes that do not match their type.
 */
export function findMediaFault(part: MediaPart): string | undefined {
  const { source, type } = part;
  if (source.kind === "id") return source.id === "" ? "the id of the file is empty" : undefined;
  if (source.kind === "base64") return contentFault(type, source.mediaType, source.data);
  const inline = dataIn(source.url);
  if (inline !== undefined)
    return inline.isBytes
      ? contentFault(type, inline.mediaType, inline.data)
      : typeFault(type, inline.mediaType);
  return isAddress(source.url) ? undefined : `"${source.url.slice(0, 80)}" is not a URL: use http(s) or data`;
}

/** Parses a `data:` URL; returns undefined for any other. */
function dataIn(
  url: string,
): { readonly mediaType: string; readonly data: string; readonly isBytes: boolean } | undefined {
  const found = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,(.*)$/is.exec(url);
  if (found === null) return undefined;
  const [, mediaType = "", base64, data = ""] = found;
  return { mediaType, data, isBytes: base64 !== undefined };
}

const ADDRESSES = new Set(["http:", "https:", "gs:", "file:", "oss:"]);

const isAddress = (text: string): boolean => URL.canParse(text) && ADDRESSES.has(new URL(text).protocol);

/** Checks the type of inline data, and that it is non-empty base64, without checking its content. */
export function findInlineFault(
  type: MediaPart["type"],
  mediaType: string,
  data: string,
): string | undefined {
  const wrongType = typeFault(type, mediaType);
  if (wrongType !== undefined) return wrongType;
  if (data === "") return `the ${type} is empty`;
  if (data.length % 4 === 1 || !isBase64(data)) return `the ${type}'s data is not base64`;
  return undefined;
}

function contentFault(type: MediaPart["type"], mediaType: string, data: string): string | undefined {
  const fault = findInlineFault(type, mediaType, data);
  if (fault !== undefined) return fault;
  const expected = SIGNATURES[mediaType.toLowerCase()];
  const begin = beginning(data);
  if (expected === undefined || expected.some((signature) => begin.startsWith(signature))) return undefined;
  return `the ${type} has the type ${mediaType}, but its bytes do not match`;
}

/** Checks the type of a part. A file can have any type, and an inline part none (DashScope's `data:;base64,`). */
function typeFault(type: MediaPart["type"], mediaType: string): string | undefined {
  if (type === "file" || mediaType === "") return undefined;
  const fits = mediaType.toLowerCase().startsWith(`${type}/`) || mediaType === "application/octet-stream";
  return fits ? undefined : `"${mediaType.slice(0, 80)}" is not a type of ${type}`;
}

/** Magic bytes by type, as one character per byte. Sources: the specifications of the formats. */
const SIGNATURES: Readonly<Record<string, readonly string[]>> = {
  "image/png": ["\x89PNG\r\n\x1a\n"],
  "image/jpeg": ["\xff\xd8\xff"],
  "image/gif": ["GIF87a", "GIF89a"],
  "image/webp": ["RIFF"],
  "image/bmp": ["BM"],
};

function beginning(data: string): string {
  const head = data.slice(0, 16).replaceAll("-", "+").replaceAll("_", "/");
  return atob(head.slice(0, head.length - (head.length % 4)).replace(/=+$/, ""));
}
