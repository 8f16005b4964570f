import { headOf } from "../core/cassette/file-head.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import { explain } from "../core/errors.ts";
import { faultOf } from "../remote/failures.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import type { TeamKeys } from "../remote/sealed/team-keys.ts";
import { sha256 } from "../storage/folder/sha256.ts";
import {
  blobsNamedIn,
  mayNameBlobs,
  type FileToPut,
  type RecordingFile,
} from "../storage/team/put-recording.ts";
import { blobObjectOf, objectOf } from "./names.ts";
import { decodeReceived, openSealed, type Refused } from "./open-sealed.ts";

/** A recording from the cache as it may be used, its request not written out, or why it is as good as not there. */
export type Received<File extends FileToPut = RecordingFile> =
  | { readonly file: File }
  | Refused
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
 * @throws what the store does, but for what is wrong with this one object.
 */
export function receive(address: RecordingAddress, from: Receiving): Promise<Received> {
  return read(objectOf(from.scope, address.entry), from, (sealed) => openHere(address, sealed, from));
}

/**
 * The same for who only keeps it: of what is sealed rightly and says at its head what its name says, the rest is looked
 * at when it is read.
 */
export function receiveToKeep(address: RecordingAddress, from: Receiving): Promise<Received<FileToPut>> {
  return read<FileToPut>(objectOf(from.scope, address.entry), from, async (sealed) => {
    const opened = openObject(address, sealed, from);
    if ("refused" in opened) return opened;
    return asItsHeadSays(address, opened.bytes) ?? decodeTake(address, opened.bytes, from);
  });
}

async function read<File extends FileToPut>(
  object: string,
  { store, signal, behind }: Receiving,
  open: (sealed: Uint8Array) => Promise<Received<File>>,
): Promise<Received<File>> {
  try {
    const sealed = await store.get(object, signal);
    if (sealed === undefined) return { gone: true };
    const found = await open(sealed);
    // What is not renewed is read all the same.
    if ("file" in found && store.access.mayWrite) behind(store.touch(object, signal));
    return found;
  } catch (error) {
    if (faultOf(error) !== "object") throw error;
    return { refused: explain(error) };
  }
}

async function openHere(address: RecordingAddress, sealed: Uint8Array, from: Receiving): Promise<Received> {
  const opened = openObject(address, sealed, from);
  return "refused" in opened ? opened : decodeTake(address, opened.bytes, from);
}

function openObject(
  { entry }: RecordingAddress,
  sealed: Uint8Array,
  { scope, store, keys }: Receiving,
): ReturnType<typeof openSealed> {
  return openSealed(objectOf(scope, entry), sealed, { remote: store.name, keys });
}

async function decodeTake(address: RecordingAddress, bytes: Uint8Array, from: Receiving): Promise<Received> {
  const { scope, store, signal, keys, behind } = from;
  const origin = { remote: store.name, keys };
  const blobs = new Map<string, Uint8Array>();
  for (const hash of blobsNamedIn(bytes)) {
    const name = blobObjectOf(scope, hash);
    const blob = await store.get(name, signal);
    const found = blob === undefined ? undefined : openSealed(name, blob, origin);
    // What looks like a name may be a text: what is missing is found out by who needs it.
    if (found === undefined || "refused" in found || sha256(found.bytes) !== hash) continue;
    blobs.set(hash, found.bytes);
    behind(store.touch(name, signal));
  }
  const recording = decodeReceived(address, bytes, blobs, origin);
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
  return { file: { entry, bytes, blobs: NO_BLOBS, recording: head } };
}

/** All names that begin so. @throws what the store does. */
export async function namesIn(store: RemoteStore, prefix: string, signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  for await (const page of store.list(prefix, signal)) names.push(...page);
  return names;
}
