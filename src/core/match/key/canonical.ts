import { attempt, badRequest } from "../../errors.ts";
import type { RequestBody } from "../../protocol/protocol.ts";
import { isJsonFault, parseJson } from "../../json/json-parse.ts";
import type { JsonTree } from "../../json/json-tree.ts";
import { normaliseAddress } from "./address.ts";
import { canonicalJson } from "./canonical-json.ts";
import { keyHeaders, type RequestHeaders } from "./key-headers.ts";
import { isMultipart, parseMultipart, type MultipartPart } from "./multipart.ts";

/** SHA-256 as 64 lower-case hexadecimal digits; a string is hashed as UTF-8. */
export type Sha256 = (data: Uint8Array | string) => string;

/** What may take part in a key. Most headers do not (see `keyHeaders`), nor do credentials in the query. */
export interface KeyedRequest extends RequestHeaders {
  readonly provider: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: RequestBody;
}

/** Changes with every change of the canonical form, so that keys of two versions never meet. */
const VERSION = "tapedeck-v1";

/**
 * The text whose hash is the key. Its first line is a JSON array of strings: version tag, provider, operation, method
 * in upper case, path and query (see `normaliseAddress`), kind of body, then name and value of each header that takes
 * part. What follows the line feed is the body:
 *
 * - `json`: its canonical JSON;
 * - `multipart`: a JSON array with [name, filename, content type, SHA-256 of the content] of each part, in order;
 * - `bytes`: the SHA-256 of the body;
 * - `empty`: nothing.
 *
 * The array has no line feed in it, so that no two requests share a text.
 * @throws TapedeckError `tapedeck_bad_request` for a multipart body that is none.
 */
export function canonicalForm(request: KeyedRequest, sha256: Sha256): string {
  const { path, query } = normaliseAddress(request.path, request.provider);
  const body = canonicalBody(request.body, sha256);
  const { provider, operation } = request;
  const head = [VERSION, provider, operation, request.method.toUpperCase(), path, query, body.kind];
  head.push(...keyHeaders(request).flat());
  return `${JSON.stringify(head)}\n${body.text}`;
}

/** The JSON of a body as `readBody` reads it; undefined where it is none. Never throws a failure of ours. */
export function jsonOf(request: Parameters<typeof readBody>[0]): JsonTree | undefined {
  const body = attempt(
    () => readBody(request),
    () => undefined,
  );
  return body?.kind === "json" ? body.tree : undefined;
}

/**
 * Reads a request body. JSON where the content type says so, or where there is none (or text/plain) and the body is
 * JSON by its looks; empty where it has no bytes.
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
  if (!said && !(mayBeJson(contentType) && looksLikeJson(body))) return bytes;
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

function canonicalBody(body: RequestBody, sha256: Sha256): { readonly kind: string; readonly text: string } {
  if (body.kind === "empty") return { kind: "empty", text: "" };
  if (body.kind === "json") return { kind: "json", text: canonicalJson(body.tree) };
  const parts = partsOf(body);
  if (parts === undefined) return { kind: "bytes", text: sha256(body.bytes) };
  const rows = parts.map(({ name, filename, contentType, content }) => [
    name,
    filename,
    contentType,
    sha256(content),
  ]);
  return { kind: "multipart", text: JSON.stringify(rows) };
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function saysJson(contentType: string | undefined): boolean {
  return /^[^/;]+\/(?:json|[^;]+\+json)$/i.test(essence(contentType));
}

function mayBeJson(contentType: string | undefined): boolean {
  return contentType === undefined || ["", "text/plain"].includes(essence(contentType).toLowerCase());
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
