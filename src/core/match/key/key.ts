import type { Key } from "../../call.ts";
import type { RequestBody } from "../../protocol/protocol.ts";
import { canonicalForm, type KeyedRequest, type Sha256 } from "./canonical.ts";
import { withHeaderRules, type RulesOfHeaders } from "./key-headers.ts";

export type { KeyedRequest, Sha256 } from "./canonical.ts";

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
