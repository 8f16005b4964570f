import { isBase64 } from "../core/cassette/base64.ts";
import type { MediaPart } from "./message.ts";

/**
 * What is wrong with a medium as it stands, or undefined: an address that is none, data that is no base64, a type that
 * does not fit the part, bytes that are not what their type says. Addresses on the web are not looked at.
 */
export function mediaFault(part: MediaPart): string | undefined {
  const { source, type } = part;
  if (source.kind === "id") return source.id === "" ? "the id of the file is empty" : undefined;
  if (source.kind === "base64") return contentFault(type, source.mediaType, source.data);
  const inline = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,(.*)$/is.exec(source.url);
  if (inline !== null) {
    const [, mediaType = "", base64, data = ""] = inline;
    return base64 === undefined ? typeFault(type, mediaType) : contentFault(type, mediaType, data);
  }
  return isAddress(source.url)
    ? undefined
    : `"${source.url.slice(0, 80)}" is no address: give http(s) or data`;
}

const ADDRESSES = new Set(["http:", "https:", "gs:", "file:", "oss:"]);

const isAddress = (text: string): boolean => URL.canParse(text) && ADDRESSES.has(new URL(text).protocol);

/** What is wrong with inline data without a look at what it holds: its type, or that it is empty or no base64. */
export function inlineFault(type: MediaPart["type"], mediaType: string, data: string): string | undefined {
  const wrongType = typeFault(type, mediaType);
  if (wrongType !== undefined) return wrongType;
  if (data === "") return `the ${type} is empty`;
  if (data.length % 4 === 1 || !isBase64(data)) return `the ${type}'s data is no base64`;
  return undefined;
}

function contentFault(type: MediaPart["type"], mediaType: string, data: string): string | undefined {
  const fault = inlineFault(type, mediaType, data);
  if (fault !== undefined) return fault;
  const expected = SIGNATURES[mediaType.toLowerCase()];
  const begin = beginning(data);
  if (expected === undefined || expected.some((signature) => begin.startsWith(signature))) return undefined;
  return `the ${type} says it is ${mediaType}, and its bytes are not`;
}

/** A file may be of any type; the type of an inline medium may be unknown (DashScope's `data:;base64,`). */
function typeFault(type: MediaPart["type"], mediaType: string): string | undefined {
  if (type === "file" || mediaType === "") return undefined;
  const fits = mediaType.toLowerCase().startsWith(`${type}/`) || mediaType === "application/octet-stream";
  return fits ? undefined : `"${mediaType.slice(0, 80)}" is no type of ${type}`;
}

/** How files of a type begin, as one character a byte. Sources: the formats' own specifications. */
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
