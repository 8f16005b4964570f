import { localize } from "./localize.ts";
import { createBadRequest } from "./errors.ts";
import { isJsonFault, parseJson, parseJsonBytes } from "./json/json-parse.ts";
import type { JsonTree } from "./json/json-tree.ts";
import { pickDefined } from "./pick-defined.ts";

/** Returns the JSON of a body as `readBody` reads it; undefined for other and for invalid bodies. */
export function readJson(request: BodyToRead): JsonTree | undefined {
  return request.body.byteLength > 0 && isJsonCandidate(request) ? parseJsonBytes(request.body) : undefined;
}

/**
 * Reads a request body. It is JSON if the content type declares JSON, or if the content type is generic and the body
 * starts like JSON.
 * @throws TapedeckError `tapedeck_bad_request` with the position if declared JSON is invalid, has a duplicate member, or
 * is nested too deep. For uploads and the unknown operation `http`, such a body is bytes, because clients upload files
 * under the content type of their other calls.
 */
export function readBody(request: BodyToRead): RequestBody {
  const { body, contentType, operation } = request;
  if (body.byteLength === 0) return { kind: "empty" };
  const bytes = { kind: "bytes", bytes: body, ...(contentType !== undefined && { contentType }) } as const;
  if (!isJsonCandidate(request)) return bytes;
  const tree = parseJsonBytes(body);
  if (tree !== undefined) return { kind: "json", tree };
  if (declaresJson(contentType) && !mayBeFile(operation)) throw unreadable(body);
  return bytes;
}

interface BodyToRead {
  readonly body: Uint8Array;
  readonly contentType?: string | undefined;
  readonly operation?: string;
}

const isJsonCandidate = ({ body, contentType, operation }: BodyToRead): boolean =>
  declaresJson(contentType) || (mayBeJson(contentType, operation) && looksLikeJson(body));

/** Returns the parts of a multipart body; undefined for any other. @throws TapedeckError `tapedeck_bad_request` */
export function readParts(body: RequestBody): readonly MultipartPart[] | undefined {
  if (body.kind !== "bytes" || body.contentType === undefined || !isMultipart(body.contentType))
    return undefined;
  const parts = parseMultipart(body.bytes, body.contentType);
  if (typeof parts !== "string") return parts;
  throw createBadRequest(
    localize("the body is not multipart: {0}.", parts),
    localize("Send a body that matches its content type."),
  );
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function declaresJson(contentType: string | undefined): boolean {
  return /^[^/;]+\/(?:json|[^;]+\+json)$/i.test(essence(contentType));
}

/** Content types that clients send with any body: aiohttp with bytes, and curl with `--data`. */
const GENERIC_TYPES = new Set(["application/octet-stream", "application/x-www-form-urlencoded"]);

/** Known operations take neither forms without files nor plain bytes, so that a generic type can be JSON there. */
function mayBeJson(contentType: string | undefined, operation = "http"): boolean {
  const type = essence(contentType).toLowerCase();
  return ["", "text/plain"].includes(type) || (!mayBeFile(operation) && GENERIC_TYPES.has(type));
}

const mayBeFile = (operation: string | undefined): boolean => /^http$|\.upload$/.test(operation ?? "");

function essence(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim() ?? "";
}

function looksLikeJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte !== 32 && byte !== 9 && byte !== 10 && byte !== 13);
  return first === 0x7b || first === 0x5b;
}

function unreadable(body: Uint8Array): Error {
  const correct = localize("Correct the request of the client.");
  try {
    parseJson(strict.decode(body));
  } catch (cause) {
    if (isJsonFault(cause))
      return createBadRequest(localize("the body is not JSON: {0}.", cause.message), correct, cause);
    return createBadRequest(
      localize("the body is not UTF-8."),
      localize("Send JSON as UTF-8, without compression."),
      cause,
    );
  }
  return createBadRequest(localize("the body is not JSON."), correct);
}

/** One part of a multipart body (RFC 2046, RFC 7578). */
export interface MultipartPart {
  readonly name?: string;
  readonly filename?: string;
  /** Lower case, parameters included. */
  readonly contentType?: string;
  readonly content: Uint8Array;
}

/** Decodes one character per byte (as windows-1252), so that positions in the text and the body are the same. */
const bytewise = new TextDecoder("latin1");
const utf8 = new TextDecoder();

export function isMultipart(contentType: string | undefined): boolean {
  return /^\s*multipart\//i.test(contentType ?? "");
}

/**
 * Splits a multipart body into its parts. Their contents are views of `body`.
 * Returns a sentence about the fault if the body does not match its content type.
 */
export function parseMultipart(body: Uint8Array, contentType: string): readonly MultipartPart[] | string {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return localize("its content type has no boundary");
  const text = bytewise.decode(body);
  const parts: MultipartPart[] = [];
  let delimiter = findDelimiter(text, boundary, 0);
  if (delimiter === undefined) return localize("its boundary is not in the body");
  while (!delimiter.last) {
    // A part without headers begins with the blank line, which shares its line break with the delimiter.
    const start = delimiter.end - 2;
    const next = findDelimiter(text, boundary, delimiter.end);
    if (next === undefined) return localize("part {0} has no end", parts.length + 1);
    const blank = text.slice(start, next.start + 2).indexOf("\r\n\r\n");
    if (blank < 0) return localize("the headers of part {0} have no end", parts.length + 1);
    const headers = readHeaders(utf8.decode(body.subarray(delimiter.end, start + blank)));
    parts.push({ ...headers, content: body.subarray(Math.min(start + blank + 4, next.start), next.start) });
    delimiter = next;
  }
  return parts;
}

interface Delimiter {
  /** Start of the line break before the dashes, and start of the line after them. */
  readonly start: number;
  readonly end: number;
  readonly last: boolean;
}

function findDelimiter(text: string, boundary: string, from: number): Delimiter | undefined {
  const dashes = `--${boundary}`;
  for (let at = text.indexOf(dashes, from); at >= 0; at = text.indexOf(dashes, at + 1)) {
    const beginsLine = at === 0 || text.startsWith("\r\n", at - 2);
    const rest = /^(--)?[ \t]*(?:\r\n|$)/.exec(text.slice(at + dashes.length, at + dashes.length + 80));
    if (!beginsLine || rest === null) continue;
    return {
      start: Math.max(0, at - 2),
      end: at + dashes.length + rest[0].length,
      last: rest[1] !== undefined,
    };
  }
  return undefined;
}

function boundaryOf(contentType: string): string | undefined {
  const found = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType);
  return found?.[1] ?? found?.[2];
}

/** Name that Replicate's client gives to an unnamed file; it contains the time in milliseconds. */
const NAME_BY_TIME = /^(blob|buffer)_\d{13}$/;

function readHeaders(text: string): Omit<MultipartPart, "content"> {
  const headers = new Map<string, string>();
  for (const line of text.replace(/\r\n[ \t]+/g, " ").split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const disposition = headers.get("content-disposition") ?? "";
  const name = parameter(disposition, "name");
  const filename = parameter(disposition, "filename*") ?? parameter(disposition, "filename");
  const contentType = headers.get("content-type")?.toLowerCase();
  return pickDefined({ name, filename: filename?.replace(NAME_BY_TIME, "$1"), contentType });
}

function parameter(header: string, name: string): string | undefined {
  const escaped = name.replace("*", "\\*");
  const found = new RegExp(`;\\s*${escaped}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, "i").exec(
    header,
  );
  return found?.[1]?.replace(/\\(["\\])/g, "$1") ?? found?.[2];
}

/** A parsed request body. */
export type RequestBody =
  | { readonly kind: "empty" }
  | { readonly kind: "json"; readonly tree: JsonTree }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly contentType?: string | undefined };
