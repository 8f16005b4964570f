import type { Key } from "../../call.ts";
import type { RequestBody } from "../../protocol/protocol.ts";
import { canonicalForm, type KeyedRequest, type Sha256 } from "./canonical.ts";

export type { KeyedRequest, Sha256 } from "./canonical.ts";

/** A request's body without what is volatile in a project. Must apply alike when recording and when looking up. */
export type Normaliser = (request: KeyedRequest) => RequestBody;

/**
 * The message key: what makes two calls the same. See `canonicalForm` for what takes part.
 * @throws TapedeckError `tapedeck_bad_request` for a multipart body that is none.
 */
export function computeKey(request: KeyedRequest, sha256: Sha256, normalise?: Normaliser): Key {
  const body = normalise ? normalise(request) : request.body;
  return `sha256:${sha256(canonicalForm({ ...request, body }, sha256))}`;
}
