import { headOf } from "../core/cassette/file-head.ts";
import type { RecordingAddress, Recording } from "../core/cassette/recording.ts";
import { explain, isTapedeckError } from "../core/errors.ts";
import { faultOf } from "../remote/failures.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import { sha256 } from "../storage/folder/sha256.ts";
import {
  blobsNamedIn,
  mayNameBlobs,
  type FileToPut,
  type RecordingFile,
} from "../storage/team/put-recording.ts";
import { blobObjectOf, objectOf } from "./names.ts";
import type { Scoped } from "./send.ts";
import { addressOf } from "../core/cassette/address.ts";
import { decodeReply } from "../core/cassette/codec.ts";
import { openObject, describeRefusal } from "../remote/sealed/seal.ts";

/** A recording from the cache as it may be used, its request not written out, or why it is as good as not there. */
export type Received<File extends FileToPut = RecordingFile> =
  | { readonly file: File }
  | Refused
  /** Evicted since its name was read. */
  | { readonly gone: true };

export interface Receiving extends Scoped {
  /** Takes what nobody waits for. */
  readonly behind: (work: Promise<unknown>) => void;
}

/**
 * Reads one recording and looks at it as at a stranger's: the seal, the large bodies that it names, and that it is a
 * recording of the very request that its name says.
 * @throws what the store does, but for what is wrong with this one object.
 */
export function receive(address: RecordingAddress, from: Receiving): Promise<Received> {
  return read(address, from, (bytes) => decodeTake(address, bytes, from));
}

/**
 * The same for who only keeps it: of what is sealed rightly and says at its head what its name says, the rest is looked
 * at when it is read.
 */
export function receiveToKeep(address: RecordingAddress, from: Receiving): Promise<Received<FileToPut>> {
  return read<FileToPut>(
    address,
    from,
    async (bytes) => asItsHeadSays(address, bytes) ?? decodeTake(address, bytes, from),
  );
}

async function read<File extends FileToPut>(
  { entry }: RecordingAddress,
  from: Receiving,
  decode: (bytes: Uint8Array) => Promise<Received<File>>,
): Promise<Received<File>> {
  const { store, signal, scope, behind } = from;
  const object = objectOf(scope, entry);
  try {
    const sealed = await store.get(object, signal);
    if (sealed === undefined) return { gone: true };
    const opened = openSealed(object, sealed, from);
    const found = "refused" in opened ? opened : await decode(opened.bytes);
    // What is not renewed is read all the same.
    if ("file" in found && store.access.mayWrite) behind(store.touch(object, signal));
    return found;
  } catch (error) {
    if (faultOf(error) !== "object") throw error;
    return { refused: explain(error) };
  }
}

/** The bytes that were sealed under this name. */
function openSealed(
  object: string,
  sealed: Uint8Array,
  { store, keys }: Receiving,
): { readonly bytes: Uint8Array } | Refused {
  const found = openObject(object, sealed, keys);
  return "refused" in found ? { refused: describeRefusal(store.name, object, found.refused) } : found;
}

async function decodeTake(address: RecordingAddress, bytes: Uint8Array, from: Receiving): Promise<Received> {
  const { scope, store, signal, behind } = from;
  const blobs = new Map<string, Uint8Array>();
  for (const hash of blobsNamedIn(bytes)) {
    const name = blobObjectOf(scope, hash);
    const blob = await store.get(name, signal);
    const found = blob === undefined ? undefined : openSealed(name, blob, from);
    // What looks like a name may be a text: what is missing is found out by who needs it.
    if (found === undefined || "refused" in found || sha256(found.bytes) !== hash) continue;
    blobs.set(hash, found.bytes);
    behind(store.touch(name, signal));
  }
  const recording = decodeReceived(address, bytes, blobs, store.name);
  return "refused" in recording ? recording : { file: { entry: address.entry, bytes, blobs, recording } };
}

const NO_BLOBS = new Map<string, Uint8Array>();

/** Undefined where more of it has to be looked at: it names large bodies, or is not as Tapedeck writes it. */
function asItsHeadSays(
  { entry, provider, key }: RecordingAddress,
  bytes: Uint8Array,
): Received<FileToPut> | undefined {
  const head = mayNameBlobs(bytes) ? undefined : headOf(bytes);
  if (head === undefined || head.provider !== provider || head.key !== key) return undefined;
  return { file: { entry, bytes, blobs: NO_BLOBS } };
}

/** All names that begin so. @throws what the store does. */
export async function namesIn(store: RemoteStore, prefix: string, signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  for await (const page of store.list(prefix, signal)) names.push(...page);
  return names;
}

/** A take of a key as it was found in the cache. */
export interface ReceivedTake<File extends FileToPut = RecordingFile> {
  readonly address: RecordingAddress;
  readonly found: Received<File>;
}

/** What may be used of the takes of a key, in their order: what was refused counts as never written. */
export function renumber<File extends FileToPut>(received: readonly ReceivedTake<File>[]): readonly File[] {
  let refused = 0;
  return received.flatMap(({ address: { provider, key, take }, found }) => {
    if ("refused" in found) refused += 1;
    return "file" in found ? [{ ...found.file, entry: addressOf(provider, key, take - refused).entry }] : [];
  });
}

/** Why an object is as good as not there, as sentences. */
interface Refused {
  readonly refused: string;
}

/** The recording of the very request that its name says, its request not written out. */
function decodeReceived(
  address: RecordingAddress,
  bytes: Uint8Array,
  blobs: ReadonlyMap<string, Uint8Array>,
  remote: string,
): Recording | Refused {
  try {
    return decodeReply(bytes, address, {
      sha256,
      readBlob: (hash) => blobs.get(hash),
    });
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    return { refused: `${remote}: ${explain(error)}` };
  }
}
