import type { Key } from "../../call.ts";
import type { RequestBody } from "../../protocol/protocol.ts";
import { canonicalForm, type KeyedRequest, type Sha256 } from "./canonical.ts";
import type { HeaderRules } from "./key-headers.ts";

export type { KeyedRequest, Sha256 } from "./canonical.ts";

/** What the rules of a project make of a request. Must apply alike when recording and when looking up. */
export interface Normaliser {
  /** The body without what is volatile. */
  body(request: KeyedRequest): RequestBody;
  /** What they say of headers; undefined where they say nothing. */
  headers(request: Pick<KeyedRequest, "provider" | "operation">): HeaderRules | undefined;
}

/** A request as its key sees it: what rules leave out differs from nothing. */
export function normaliseRequest<T extends KeyedRequest>(request: T, normalise: Normaliser | undefined): T {
  if (normalise === undefined) return request;
  return withHeaderRules({ ...request, body: normalise.body(request) }, normalise);
}

/** A request together with what rules say of its headers. */
export function withHeaderRules<T extends Pick<KeyedRequest, "provider" | "operation">>(
  request: T,
  normalise: Normaliser | undefined,
): T & { readonly headerRules?: HeaderRules } {
  const headerRules = normalise?.headers(request);
  return headerRules === undefined ? request : { ...request, headerRules };
}

/**
 * The message key: what makes two calls the same. See `canonicalForm` for what takes part.
 * @throws TapedeckError `tapedeck_bad_request` for a multipart body that is none.
 */
export function computeKey(request: KeyedRequest, sha256: Sha256, normalise?: Normaliser): Key {
  return `sha256:${sha256(canonicalForm(normaliseRequest(request, normalise), sha256))}`;
}
