import type { RequestBody } from "../base/read-body.ts";
import type { Call, WireHeaders } from "../call/call.ts";
import { contentTypeOf, percentDecoded } from "../base/wire/text.ts";
import type { RecordedRequest } from "./recording.ts";

/** Query parameters that are a credential by their names alone; they are neither kept nor part of the key. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  "api_key",
  "api-key",
  "apikey",
  "access_token",
]);

/** A credential with some, a user or a page with others. */
const AMBIGUOUS: ReadonlySet<string> = new Set(["key", "token"]);

/** Providers that say which of these are one. Sources, 2026-11: ai.google.dev/api, Vertex AI's express mode. */
const CREDENTIALS_OF: Readonly<Record<string, readonly string[]>> = { gemini: ["key"], vertex: ["key"] };

/** The path and query without parameters that carry a credential of this provider. */
export function withoutCredentials(path: string, provider: string): string {
  return withoutPairs(path, (pair) => isCredentialParameter(pair, provider));
}

/** The path and query without the parameters of these names, in lower case. */
export function withoutParameters(path: string, names: readonly string[]): string {
  return names.length === 0 ? path : withoutPairs(path, (pair) => names.includes(nameOfParameter(pair)));
}

function withoutPairs(path: string, isLeftOut: (pair: string) => boolean): string {
  const [pathname, query] = splitQuery(path);
  if (query === undefined) return path;
  const kept = query.split("&").filter((pair) => !isLeftOut(pair));
  return kept.length === 0 ? pathname : `${pathname}?${kept.join("&")}`;
}

/** Whether a pair of a query is neither kept nor part of the key. */
export function isCredentialParameter(pair: string, provider: string): boolean {
  const name = nameOfParameter(pair);
  return CREDENTIAL_PARAMETERS.has(name) || CREDENTIALS_OF[provider]?.includes(name) === true;
}

/** Whether a pair that is part of the key may be a credential all the same, by its name and value. */
export function mayBeCredential(pair: string): boolean {
  return isAmbiguous(nameOfParameter(pair)) && looksLikeCredential(valueOfParameter(pair));
}

/** What hardly anybody types, and hardly any page is called: 20 characters or more, letters and digits mixed. */
export function looksLikeCredential(value: string): boolean {
  return /^[\w.~+/=-]{20,}$/.test(value) && /[A-Za-z]/.test(value) && /\d/.test(value);
}

/** Whether a parameter of this name is a credential with some providers, and not with others. */
export const isAmbiguous = (name: string): boolean => AMBIGUOUS.has(name);

export function splitQuery(path: string): readonly [string, string?] {
  const at = path.indexOf("?");
  return at < 0 ? [path] : [path.slice(0, at), path.slice(at + 1)];
}

export function nameOfParameter(pair: string): string {
  return percentDecoded(pair.split("=", 1)[0] ?? "").toLowerCase();
}

export const valueOfParameter = (pair: string): string => percentDecoded(pair.slice(pair.indexOf("=") + 1));

/**
 * What of a call is kept and shown: of its headers only the content type and `kept`, of its query no credential.
 * Without `kept` nobody knows whether others of its headers matter.
 */
export function recordedRequest(
  call: Pick<Call, "provider" | "method" | "path" | "headers" | "contentType" | "body">,
  kept: WireHeaders | undefined,
): RecordedRequest {
  const { provider, method, path, headers, body } = call;
  const contentType = call.contentType ?? contentTypeOf(headers).contentType ?? "";
  const asked = {
    method,
    path: withoutCredentials(path, provider),
    body,
    ...(contentType !== "" && { contentType }),
  };
  return kept === undefined ? asked : { ...asked, headers: kept };
}

/** A project's rules for headers of a request, by lowercase name. */
export interface HeaderRules {
  /** Headers that are part of the key in addition to those of `countsInKey`. */
  readonly counted: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
}

/** The parts of a request that decide which headers are in its key. */
export interface RequestHeaders {
  readonly operation: string;
  /** All headers, or the recorded ones; absent if the recording is from a version that did not record headers. */
  readonly headers?: WireHeaders;
  readonly headerRules?: HeaderRules;
}

/** What may take part in a key: some of the headers (see `countsInKey`), and no credentials in the query. */
export interface KeyedRequest extends RequestHeaders {
  readonly provider: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: RequestBody;
}
