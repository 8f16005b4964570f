import { attempt, badRequest } from "./errors.ts";
import { isJsonFault, parseJson } from "./json/json-parse.ts";
import type { JsonTree } from "./json/json-tree.ts";
import { pickDefined } from "./pick-defined.ts";

/** The JSON of a body as `readBody` reads it; undefined where it is none. Never throws a failure of ours. */
export function jsonOf(request: Parameters<typeof readBody>[0]): JsonTree | undefined {
  const body = attempt(
    () => readBody(request),
    () => undefined,
  );
  return body?.kind === "json" ? body.tree : undefined;
}

/**
 * Reads a request body. JSON where the content type says so, or where it tells nothing of the body and that is JSON by
 * its looks; empty where it has no bytes.
 * @throws TapedeckError `tapedeck_bad_request` with the position where a body said to be JSON is not, has a member
 * twice or is nested too deep; of an operation that is not known (`http`) such a body is its bytes, since clients
 * upload files under the content type of their other calls.
 */
export function readBody(request: {
  readonly body: Uint8Array;
  readonly contentType?: string | undefined;
  readonly operation?: string;
}): RequestBody {
  const { body, contentType, operation } = request;
  if (body.byteLength === 0) return { kind: "empty" };
  const bytes = { kind: "bytes", bytes: body, ...(contentType !== undefined && { contentType }) } as const;
  const said = saysJson(contentType);
  if (!said && !(mayBeJson(contentType, operation) && looksLikeJson(body))) return bytes;
  try {
    return { kind: "json", tree: parseJson(strict.decode(body)) };
  } catch (error) {
    if (said && operation !== "http") throw unreadable(body, error);
    return bytes;
  }
}

/** The parts of a multipart body, undefined for any other. @throws TapedeckError `tapedeck_bad_request`. */
export function partsOf(body: RequestBody): readonly MultipartPart[] | undefined {
  if (body.kind !== "bytes" || body.contentType === undefined || !isMultipart(body.contentType))
    return undefined;
  const parts = parseMultipart(body.bytes, body.contentType);
  if (typeof parts !== "string") return parts;
  throw badRequest(`the body is not multipart: ${parts}.`, "Send a body that is what its content type says.");
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function saysJson(contentType: string | undefined): boolean {
  return /^[^/;]+\/(?:json|[^;]+\+json)$/i.test(essence(contentType));
}

/** What clients say of whatever they send: aiohttp of bytes, and curl of `--data`. */
const OF_ANYTHING = new Set(["application/octet-stream", "application/x-www-form-urlencoded"]);

/** An operation that is known takes no form without files, and no bytes. */
function mayBeJson(contentType: string | undefined, operation = "http"): boolean {
  const type = essence(contentType).toLowerCase();
  return ["", "text/plain"].includes(type) || (operation !== "http" && OF_ANYTHING.has(type));
}

function essence(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]?.trim() ?? "";
}

function looksLikeJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte !== 32 && byte !== 9 && byte !== 10 && byte !== 13);
  return first === 0x7b || first === 0x5b;
}

function unreadable(body: Uint8Array, cause: unknown): Error {
  if (isJsonFault(cause)) {
    return badRequest(`the body is not JSON: ${cause.message}.`, "Correct what the client sends.", cause);
  }
  const place = `at byte ${firstInvalidByte(body)}`;
  return badRequest(`the body is not UTF-8 ${place}.`, "Send JSON as UTF-8, without compression.", cause);
}

/** From 1. A decoder does not say where it failed, but one that is promised more fails only behind the fault. */
function firstInvalidByte(body: Uint8Array): number {
  let valid = 0;
  let invalid = body.byteLength + 1;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (beginsValid(body.subarray(0, middle))) valid = middle;
    else invalid = middle;
  }
  return Math.min(invalid, body.byteLength);
}

function beginsValid(beginning: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(beginning, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** One part of a multipart body (RFC 2046, RFC 7578). */
export interface MultipartPart {
  readonly name?: string;
  readonly filename?: string;
  /** Lower case, parameters included. */
  readonly contentType?: string;
  readonly content: Uint8Array;
}

/** One character a byte (it is windows-1252 in fact): positions in the text are positions in the body. */
const bytewise = new TextDecoder("latin1");
const utf8 = new TextDecoder();

export function isMultipart(contentType: string | undefined): boolean {
  return /^\s*multipart\//i.test(contentType ?? "");
}

/**
 * Takes a multipart body apart, in order. The contents are views on `body`.
 * Gives a sentence that says what is wrong where the body is not what its content type says.
 */
export function parseMultipart(body: Uint8Array, contentType: string): readonly MultipartPart[] | string {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return "its content type names no boundary";
  const text = bytewise.decode(body);
  const parts: MultipartPart[] = [];
  let delimiter = findDelimiter(text, boundary, 0);
  if (delimiter === undefined) return "its boundary does not occur in it";
  while (!delimiter.last) {
    // A part without headers begins with the blank line, which shares its line break with the delimiter.
    const start = delimiter.end - 2;
    const next = findDelimiter(text, boundary, delimiter.end);
    if (next === undefined) return `part ${parts.length + 1} has no end`;
    const blank = text.slice(start, next.start + 2).indexOf("\r\n\r\n");
    if (blank < 0) return `the headers of part ${parts.length + 1} have no end`;
    const headers = readHeaders(utf8.decode(body.subarray(delimiter.end, start + blank)));
    parts.push({ ...headers, content: body.subarray(Math.min(start + blank + 4, next.start), next.start) });
    delimiter = next;
  }
  return parts;
}

interface Delimiter {
  /** Where the line break before the dashes begins, and where the line after them does. */
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

/** The name that Replicate's client gives to a file without one: it has the time in milliseconds. */
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

/** A request body as it was understood. */
export type RequestBody =
  | { readonly kind: "empty" }
  | { readonly kind: "json"; readonly tree: JsonTree }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly contentType?: string | undefined };
