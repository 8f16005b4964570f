import { localize } from "../core/base/localize.ts";
import { type CallName, createRecordingAddress, readEntry } from "../core/cassette/address.ts";
import { getBlobPath } from "../core/cassette/blobs.ts";
import { decodeReply } from "../core/cassette/codec.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import { explain, isTapedeckError } from "../core/base/errors.ts";
import { readFields, tryParsePlainJson } from "../core/base/lenient.ts";
import { encodeUtf8, decodeText, decodeUtf8 } from "../core/base/wire/text.ts";
import { readOfferedFault } from "../remote/failures.ts";
import type { ObjectStore } from "../remote/object-store.ts";
import { openObject, signObject } from "../remote/signed-object.ts";
import type { TeamKeys } from "../remote/team-keys.ts";
import type { KeyOf } from "../storage/folder/recording-reader.ts";
import { computeSha256 } from "../storage/folder/read-file.ts";
import { listNamedBlobs, type RecordingFile } from "../storage/team/recording-files.ts";

/*
 * One object of a team cache has all takes of one call in their order, and is signed as a whole: without the private key
 * no take can be changed, removed, added, or moved. Large bodies are objects of their own, named by their content.
 */

/** Where objects are read and written, and with which keys. */
export interface TeamObjects {
  readonly store: ObjectStore;
  readonly keys: TeamKeys;
  readonly signal?: AbortSignal;
}

/** The beginning of the names of all calls. */
export const CALLS = "calls/";

const objectOf = ({ provider, key }: CallName): string =>
  createRecordingAddress(provider, key, 1).entry.replace(/\.json$/, ".takes");

/** The call of an object; undefined for any other object. */
export function readCallOfObject(object: string): CallName | undefined {
  if (!object.endsWith(".takes")) return undefined;
  const address = readEntry(object.replace(/\.takes$/, ".json"));
  return "wrong" in address ? undefined : { provider: address.provider, key: address.key };
}

export interface TakeFile extends RecordingFile {
  /** ISO 8601. */
  readonly recordedAt: string;
}

interface StoredTake {
  readonly take: number;
  readonly recordedAt: string;
  /** The text of the file, as it is in a cassette folder. */
  readonly file: string;
}

export type FetchedTakes = { readonly takes: readonly RecordingFile[] } | { readonly refused: string };

/**
 * Reads all takes of a call and verifies them: signature, large bodies, and that each is a recording of the request that
 * its key names. Undefined if the cache does not have the call.
 * @throws TapedeckError `tapedeck_remote` if the cache fails
 */
export async function fetchTakes(
  call: CallName,
  from: TeamObjects,
  keyOf: KeyOf,
): Promise<FetchedTakes | undefined> {
  const name = objectOf(call);
  const refuse = (why: string) => ({
    refused: localize("{0} in the team cache {1}. It was not used.", name, why),
  });
  try {
    const object = await from.store.get(name, from.signal);
    if (object === undefined) return undefined;
    const opened = openObject(name, object, from.keys);
    if ("refused" in opened) return refuse(opened.refused);
    const takes: RecordingFile[] = [];
    for (const { take, file } of readStoredTakes(opened.content)) {
      const address = createRecordingAddress(call.provider, call.key, take);
      const bytes = encodeUtf8(file);
      const blobs = await fetchBlobs(bytes, from);
      if (typeof blobs === "string") return refuse(localize("has a large body that was changed, {0}", blobs));
      const problem = problemIn(bytes, address, { blobs, keyOf });
      if (problem !== undefined) return refuse(localize("has a recording that cannot be read: {0}", problem));
      takes.push({ entry: address.entry, bytes, blobs });
    }
    return takes.length === 0 ? refuse(localize("has no recording")) : { takes };
  } catch (error) {
    if (readOfferedFault(error) !== "object") throw error;
    return { refused: explain(error) };
  }
}

/** `there`: the cache had the same takes. `newer`: it had others that are newer or as old, which were left. */
export type Upload = "added" | "there" | "newer";

/** Uploads all takes of a call, unless those in the cache are newer. @throws as `fetchTakes` */
export async function uploadTakes(
  call: CallName,
  takes: readonly TakeFile[],
  { store, keys, signal }: TeamObjects,
): Promise<Upload> {
  const name = objectOf(call);
  const content = encodeUtf8(JSON.stringify({ takes: takes.map(storedTake) }));
  const object = await store.get(name, signal);
  const opened = object && openObject(name, object, keys);
  // A refused object is replaced, because no reader accepts it.
  if (opened !== undefined && "content" in opened) {
    if (Buffer.compare(opened.content, content) === 0) return "there";
    if (newestOf(readStoredTakes(opened.content)) >= newestOf(takes)) return "newer";
  }
  for (const { blobs } of takes)
    for (const [hash, blob] of blobs) await store.put(getBlobPath(hash), blob, signal);
  await store.put(name, signObject(name, content, keys), signal);
  return "added";
}

function storedTake({ entry, bytes, recordedAt }: TakeFile): StoredTake {
  const address = readEntry(entry);
  return { take: "take" in address ? address.take : 1, recordedAt, file: decodeText(bytes) };
}

/** None if the content is not of this form, although it is signed. */
function readStoredTakes(content: Uint8Array): readonly StoredTake[] {
  const { takes } = readFields(tryParsePlainJson(decodeUtf8(content) ?? ""));
  return (Array.isArray(takes) ? takes : []).flatMap((value: unknown) => {
    const { take, recordedAt, file } = readFields(value);
    const isTake = typeof take === "number" && Number.isSafeInteger(take) && take > 0;
    return isTake && typeof recordedAt === "string" && typeof file === "string"
      ? [{ take, recordedAt, file }]
      : [];
  });
}

const newestOf = (takes: readonly Pick<StoredTake, "recordedAt">[]): number =>
  Math.max(0, ...takes.map(({ recordedAt }) => Date.parse(recordedAt) || 0));

/** The large bodies that a recording names, by SHA-256; or the name of one that has another content. */
async function fetchBlobs(
  bytes: Uint8Array,
  { store, signal }: TeamObjects,
): Promise<ReadonlyMap<string, Uint8Array> | string> {
  const blobs = new Map<string, Uint8Array>();
  for (const hash of listNamedBlobs(bytes)) {
    const blob = await store.get(getBlobPath(hash), signal);
    // The name may be in the text of a prompt. If a body is needed and missing, the recording cannot be decoded.
    if (blob === undefined) continue;
    if (computeSha256(blob) !== hash) return getBlobPath(hash);
    blobs.set(hash, blob);
  }
  return blobs;
}

interface VerifyOptions {
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  readonly keyOf: KeyOf;
}

function problemIn(
  bytes: Uint8Array,
  address: RecordingAddress,
  { blobs, keyOf }: VerifyOptions,
): string | undefined {
  try {
    decodeReply(bytes, address, {
      sha256: computeSha256,
      readBlob: (hash) => blobs.get(hash),
      verifyKey: keyOf,
    });
    return undefined;
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    return error.message.replace(/\.$/, "");
  }
}
