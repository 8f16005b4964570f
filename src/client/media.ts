import { isBase64 } from "../core/base/base64.ts";
import type { MediaPart } from "./message.ts";

/**
 * Checks a media part without fetching it. Returns the fault: an invalid URL, invalid base64, or a type that does not match
 * the part.
 */
export function findMediaFault(part: MediaPart): string | undefined {
  const { source, type } = part;
  if (source.kind === "id") return source.id === "" ? "the id of the file is empty" : undefined;
  if (source.kind === "base64") return findInlineFault(type, source.mediaType, source.data);
  const inline = dataIn(source.url);
  if (inline !== undefined)
    return inline.isBytes
      ? findInlineFault(type, inline.mediaType, inline.data)
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

/** Checks the type of a part. A file can have any type, and an inline part none (DashScope's `data:;base64,`). */
function typeFault(type: MediaPart["type"], mediaType: string): string | undefined {
  if (type === "file" || mediaType === "") return undefined;
  const fits = mediaType.toLowerCase().startsWith(`${type}/`) || mediaType === "application/octet-stream";
  return fits ? undefined : `"${mediaType.slice(0, 80)}" is not a type of ${type}`;
}
