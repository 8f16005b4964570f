import { decodeReply } from "../core/cassette/codec.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import { explain, isTapedeckError } from "../core/errors.ts";
import { computeKey } from "../core/match/key/key.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import { describeRefusal } from "../remote/sealed/refusals.ts";
import { openObject } from "../remote/sealed/seal.ts";
import type { TeamKeys } from "../remote/sealed/team-keys.ts";
import { sha256 } from "../storage/folder/sha256.ts";
import { blobsNamedIn, type RecordingFile } from "../storage/team/put-recording.ts";
import { blobObjectOf, objectOf } from "./names.ts";

/** A recording from the cache as it may be used, its request not written out, or why it is as good as not there. */
export type Received =
  | { readonly file: RecordingFile }
  | { readonly refused: string }
  /** Evicted since its name was read. */
  | { readonly gone: true };

export interface Receiving {
  readonly store: RemoteStore;
  readonly signal: AbortSignal;
  readonly keys: TeamKeys;
  readonly scope: string;
  /** Takes what nobody waits for. */
  readonly behind: (work: Promise<unknown>) => void;
}

/**
 * Reads one recording and looks at it as at a stranger's: the seal, the large bodies that it names, and that it is a
 * recording of the very request that its name says.
 * @throws what the store does.
 */
export async function receive(address: RecordingAddress, from: Receiving): Promise<Received> {
  const read = await opened(objectOf(from.scope, address.entry), from);
  if (read === undefined) return { gone: true };
  if ("refused" in read) return read;
  const blobs = new Map<string, Uint8Array>();
  for (const hash of blobsNamedIn(read.bytes)) {
    const blob = await opened(blobObjectOf(from.scope, hash), from);
    // What looks like a name may be a text: what is missing is found out by who needs it.
    if (blob !== undefined && "bytes" in blob && sha256(blob.bytes) === hash) blobs.set(hash, blob.bytes);
  }
  try {
    const recording = decodeReply(read.bytes, address, {
      sha256,
      readBlob: (hash) => blobs.get(hash),
      verifyKey: (request) => computeKey(request, sha256),
    });
    const { entry } = address;
    return { file: { entry, bytes: read.bytes, blobs, recording } };
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    return { refused: `${from.store.name}: ${explain(error)}` };
  }
}

/** The bytes that were sealed under this name, which the reading of it renewed. Undefined where there are none. */
async function opened(
  name: string,
  { store, signal, keys, behind }: Receiving,
): Promise<{ readonly bytes: Uint8Array } | { readonly refused: string } | undefined> {
  const sealed = await store.get(name, signal);
  if (sealed === undefined) return undefined;
  const found = openObject(name, sealed, keys);
  if ("refused" in found) return { refused: describeRefusal(store.name, name, found.refused) };
  // What is not renewed is read all the same.
  behind(store.touch(name, signal));
  return found;
}

/** All names that begin so. @throws what the store does. */
export async function namesIn(store: RemoteStore, prefix: string, signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  for await (const page of store.list(prefix, signal)) names.push(...page);
  return names;
}
