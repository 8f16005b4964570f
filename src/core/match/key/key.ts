import type { Key } from "../../call.ts";
import { isCredentialParameter } from "../../cassette/recorded-request.ts";
import { canonicalJson } from "../../json/json-tree.ts";
import type { RequestBody } from "../../protocol/base/protocol.ts";
import {
  keyHeaders,
  withHeaderRules,
  withHiddenValues,
  type RequestHeaders,
  type RulesOfHeaders,
} from "./key-headers.ts";
import { partsOf } from "./read-body.ts";

/** SHA-256 as 64 lower-case hexadecimal digits; a string is hashed as UTF-8. */
export type Sha256 = (data: Uint8Array | string) => string;

/** What may take part in a key: some of the headers (see `countsInKey`), and no credentials in the query. */
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
  head.push(...withHiddenValues(keyHeaders(request), sha256).flat());
  return `${JSON.stringify(head)}\n${body.text}`;
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

/** What the rules of a project make of a request. Must apply alike when recording and when looking up. */
export interface Normaliser extends RulesOfHeaders {
  /** The body without what is volatile. */
  body(request: KeyedRequest): RequestBody;
}

/** A request as its key sees it: what rules leave out differs from nothing. */
export function normaliseRequest<T extends KeyedRequest>(request: T, normalise: Normaliser | undefined): T {
  if (normalise === undefined) return request;
  return withHeaderRules({ ...request, body: normalise.body(request) }, normalise);
}

/**
 * The message key: what makes two calls the same. See `canonicalForm` for what takes part.
 * @throws TapedeckError `tapedeck_bad_request` for a multipart body that is none.
 */
export function computeKey(request: KeyedRequest, sha256: Sha256, normalise?: Normaliser): Key {
  return `sha256:${sha256(canonicalForm(normaliseRequest(request, normalise), sha256))}`;
}

/** A request's path and query in the one form that takes part in the key. */
export interface Address {
  readonly path: string;
  /** Pairs sorted by name, then value, joined by "&"; "" where there is none. Credentials are left out. */
  readonly query: string;
}

/**
 * The address of a request to `provider`. Normalises percent-encoding (RFC 3986 6.2.2: unreserved characters decoded, hexadecimal digits in upper case),
 * sorts the query and leaves credentials out, as they are left out of files. "+" stays as it is: not every server
 * reads it as a blank.
 */
export function normaliseAddress(pathAndQuery: string, provider: string): Address {
  const { path, query } = split(pathAndQuery);
  const pairs = query
    .split("&")
    .filter((pair) => pair !== "" && !isCredentialParameter(pair, provider))
    .map(normalisePercent);
  return { path: normalisePercent(path), query: pairs.toSorted(byNameThenValue).join("&") };
}

/** The pairs of a normalised query: names and values as they stand there, still encoded. */
export function queryPairs(query: string): readonly (readonly [name: string, value: string])[] {
  return query === ""
    ? []
    : query.split("&").map((pair) => [pairName(pair), pair.slice(pairName(pair).length + 1)]);
}

function split(pathAndQuery: string): { readonly path: string; readonly query: string } {
  const mark = pathAndQuery.indexOf("?");
  if (mark < 0) return { path: pathAndQuery, query: "" };
  return { path: pathAndQuery.slice(0, mark), query: pathAndQuery.slice(mark + 1) };
}

function pairName(pair: string): string {
  const mark = pair.indexOf("=");
  return mark < 0 ? pair : pair.slice(0, mark);
}

const byNameThenValue = (a: string, b: string): number => compare(pairName(a), pairName(b)) || compare(a, b);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function normalisePercent(text: string): string {
  return text.replace(/%[0-9a-fA-F]{2}/g, (encoded) => {
    const char = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(char) ? char : encoded.toUpperCase();
  });
}
