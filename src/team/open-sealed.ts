import { decodeReply } from "../core/cassette/codec.ts";
import type { Recording, RecordingAddress } from "../core/cassette/recording.ts";
import { explain, isTapedeckError } from "../core/errors.ts";
import { computeKey } from "../core/match/key/key.ts";
import { describeRefusal } from "../remote/sealed/refusals.ts";
import { openObject } from "../remote/sealed/seal.ts";
import type { TeamKeys } from "../remote/sealed/team-keys.ts";
import { sha256 } from "../storage/folder/sha256.ts";

/** Why an object is as good as not there, as sentences. */
export interface Refused {
  readonly refused: string;
}

/** Where an object came from, and whose signature counts. */
export interface Origin {
  /** The cache's name, for messages. */
  readonly remote: string;
  readonly keys: TeamKeys;
}

/** The bytes that were sealed under this name. */
export function openSealed(
  object: string,
  sealed: Uint8Array,
  { remote, keys }: Origin,
): { readonly bytes: Uint8Array } | Refused {
  const found = openObject(object, sealed, keys);
  return "refused" in found ? { refused: describeRefusal(remote, object, found.refused) } : found;
}

/** The recording of the very request that its name says, its request not written out. */
export function decodeReceived(
  address: RecordingAddress,
  bytes: Uint8Array,
  blobs: ReadonlyMap<string, Uint8Array>,
  { remote }: Pick<Origin, "remote">,
): Recording | Refused {
  try {
    return decodeReply(bytes, address, {
      sha256,
      readBlob: (hash) => blobs.get(hash),
      verifyKey: (request) => computeKey(request, sha256),
    });
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    return { refused: `${remote}: ${explain(error)}` };
  }
}
