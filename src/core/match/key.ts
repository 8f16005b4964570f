import type { Key } from "../exchange.ts";
import type { RequestBody } from "../protocol/protocol.ts";
import { canonicalForm, type KeyedRequest, type Sha256 } from "./canonical.ts";

export type { KeyedRequest, Sha256 } from "./canonical.ts";

/** Takes out of a body what is volatile in a project. Must apply alike when recording and when looking up. */
export type Normaliser = (body: RequestBody) => RequestBody;

/**
 * The message key: what makes two calls the same. See `canonicalForm` for what takes part.
 * @throws TapedeckError `tapedeck_bad_request` for a multipart body that is none.
 */
export function computeKey(request: KeyedRequest, sha256: Sha256, normalise?: Normaliser): Key {
  const body = normalise ? normalise(request.body) : request.body;
  return `sha256:${sha256(canonicalForm({ ...request, body }, sha256))}`;
}
