import { localize } from "../../base/localize.ts";
import { encodeUtf8, decodeText, decodeUtf8 } from "../../base/wire/text.ts";
import {
  getAt,
  fromBase64,
  isBytes,
  isObject,
  listItems,
  listMembers,
  getTextAt,
  type FileTree,
} from "./tree.ts";

/** Names of fields that change how a body is decoded. */
const CHANGES_BODY = /encod|base64|compress|binary|charset|gzip|zlib|zstd|sha\d|_file$|body_?path|truncat/i;

/**
 * Returns why a body cannot be read, as the end of a sentence about its call: a field next to it changes how the body
 * is decoded, and the importer does not know this field. Empty fields are ignored.
 * @param known names of fields that the importer reads, or that change no body
 */
export function findUnknownField(
  holder: FileTree | undefined,
  known: readonly string[],
  pattern: RegExp = CHANGES_BODY,
): string | undefined {
  const unknown = listMembers(holder).find(
    ([name, value]) => pattern.test(name) && !known.includes(name) && !isEmpty(value),
  );
  return (
    unknown && localize('keeps a body with the field "{0}", which the importer does not know', unknown[0])
  );
}

function isEmpty(value: FileTree): boolean {
  if (typeof value !== "object") return value === false || value === "";
  if (value === null) return true;
  return Array.isArray(value)
    ? listItems(value).length === 0
    : isObject(value) && listMembers(value).length === 0;
}

/** Returns why a body in this encoding cannot be read, as the end of a sentence about its call. */
export function explainEncoding(encoding: string): string {
  return localize('keeps a body in the encoding "{0}", which the importer does not know', encoding);
}

/** Reads a body of VCR in Ruby and of betamax in Python: a text with the name of its charset, or base64. */
export function readEncodedText(body: FileTree | undefined): Uint8Array | string {
  const unknown = findUnknownField(body, ["encoding", "string", "base64_string"], /./);
  if (unknown !== undefined) return unknown;
  const base64 = getTextAt(body, "base64_string");
  if (base64 !== undefined) return fromBase64(base64);
  const string = getAt(body, "string");
  if (isBytes(string)) return string.bytes;
  const encoding = getTextAt(body, "encoding") ?? "";
  return encodeText(getTextAt(string) ?? "", encoding) ?? explainEncoding(encoding);
}

const AS_UTF8 = /^(?:|utf-?8|(?:us-)?ascii|ascii-8bit|binary)$/i;
const LATIN1 = /^(?:iso-?8859-1|latin-?1|windows-?1252)$/i;

/**
 * Encodes a text; returns undefined for an unsupported charset. Python's requests reads `text/…` without a charset as
 * ISO-8859-1, so that betamax stores UTF-8 events this way.
 */
function encodeText(text: string, charset: string): Uint8Array | undefined {
  const bytes = encodeUtf8(text);
  if (AS_UTF8.test(charset)) return bytes;
  if (LATIN1.test(charset)) return encodeLatin1(text);
  try {
    return new TextDecoder(charset).decode(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Restores the UTF-8 of events and lines. Chromium decodes events without a charset as windows-1252 when it writes an
 * HTTP archive (seen with Playwright 1.65). Returns the bytes unchanged if they were not decoded this way.
 */
export function undoLatin1(bytes: Uint8Array): Uint8Array {
  const text = decodeUtf8(bytes);
  // oxlint-disable-next-line no-control-regex -- ASCII has control characters
  if (text === undefined || /^[\u0000-\u007f]*$/.test(text)) return bytes;
  const sent = encodeLatin1(text);
  return sent !== undefined && decodeUtf8(sent) !== undefined ? sent : bytes;
}

/** Encodes ISO-8859-1 and windows-1252, which differ in only 27 characters; returns undefined for other characters. */
export function encodeLatin1(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const byte = unit < 256 ? unit : 128 + WINDOWS_1252.indexOf(text.charAt(index));
    if (unit >= 256 && byte === 127) return undefined;
    bytes[index] = byte;
  }
  return bytes;
}

/** Decodes UTF-8 that is given with one character per byte. */
export const decodeBinary = (binary: string): string => decodeText(encodeLatin1(binary) ?? new Uint8Array(0));

/**
 * The characters of the bytes from 128 to 159. The decoder of Node 20 and 22 reads them as ISO-8859-1 (nodejs/node#56542).
 */
const WINDOWS_1252 =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f" +
  "\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178";
