import { join } from "node:path";
import { describeEditedMeanwhile } from "../../core/cassette/edited-meanwhile.ts";
import {
  createRecordingAddress,
  getRecordingFileName,
  getFolderOfKey,
  findFreeNumber,
  getRecordingAddress,
} from "../../core/cassette/address.ts";
import { encodeRecording } from "../../core/cassette/codec.ts";
import type { Key } from "../../core/call/call.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import { NOTHING_STOOD } from "../../core/cassette/store.ts";
import { writeBlobs } from "./blobs.ts";
import { dropEarlier, keepEarlier, dropNewer, keepNewer } from "../local/earlier.ts";
import { getErrorCode } from "./failures.ts";
import { computeSha256 } from "./sha256.ts";
import { swapIn } from "./swap.ts";
import {
  claimName,
  createFolderMaker,
  discard,
  ignoreTemporary,
  syncFolder,
  writeTemporary,
  type FolderMaker,
  type MadeFolder,
} from "./durable-write.ts";

/** Writes recordings so that each is whole or absent after a kill at any moment. Throws the system's errors. */
export interface RecordingWriter {
  /** Adds a recording as take `number`, or as the next one if that exists. */
  add(recording: Recording, number?: number): Promise<RecordingAddress>;
  /** `since`: the content when the call started. Without it, any content is replaced. */
  replace(entry: string, recording: Recording, since?: string): Promise<void>;
}

interface Parts {
  readonly dir: string;
  readonly index: {
    /** Returns the takes of a key in order. */
    takes(provider: string, key: Key): readonly RecordingAddress[];
    /** Makes the next look at this folder read it again. */
    changed(folder: string): void;
  };
}

function encodeFile(recording: Recording) {
  const { text, blobs } = encodeRecording(recording, { sha256: computeSha256 });
  const bytes = Buffer.from(text);
  return { bytes, blobs, hash: computeSha256(bytes) };
}

interface Written {
  readonly folder: MadeFolder;
  readonly temporary: string;
  readonly hash: string;
}

/** A folder may be deleted between making it and writing into it. */
const ATTEMPTS = 3;

export function createRecordingWriter(parts: Parts): RecordingWriter {
  const { dir, index } = parts;
  const [folders, own] = [createFolderMaker(dir), createOwnTexts()];
  const written = createTextWriter(parts, folders);

  return {
    async add(recording, number) {
      const { provider, key } = recording;
      // Look before the temporary file changes the folder, which would be read again.
      const isNamed = number !== undefined && number > 0;
      const wanted = isNamed ? number : findFreeNumber(index.takes(provider, key));
      const file = await written(recording);
      const added = own.adding(file.hash);
      try {
        const take = await claimTake(file, recording, wanted, index);
        await durably(file.folder, join(file.folder.path, getRecordingFileName(key, take)));
        const address = createRecordingAddress(provider, key, take);
        added(address.entry);
        return address;
      } catch (error) {
        await discard(file.temporary);
        throw error;
      } finally {
        added();
      }
    },
    async replace(entry, recording, since) {
      const address = getRecordingAddress(entry, recording);
      const { folder, temporary, hash } = await written(recording);
      const isExpected = (standing: string): boolean =>
        since === undefined || standing === since || own.isAt(entry, standing);
      try {
        const isKept = await keepEarlier(dir, entry);
        if (
          !swapIn(temporary, join(folder.path, getRecordingFileName(address.key, address.take)), isExpected)
        ) {
          if (isKept) await dropEarlier(dir, [entry]);
          const newer = await keepNewer(dir, entry, temporary);
          throw describeEditedMeanwhile(
            { entry, ...(newer !== undefined && { newer }) },
            since === NOTHING_STOOD,
          );
        }
        own.put(entry, hash);
        await Promise.all([folder.durable, syncFolder(folder.path)]);
        await dropNewer(dir, entry);
      } finally {
        await discard(temporary);
      }
    },
  };
}

/** Gives a file the name of a take, or of the next free one. Resolves to the take number. */
async function claimTake(
  { folder, temporary }: Written,
  { provider, key }: Recording,
  wanted: number,
  index: Parts["index"],
): Promise<number> {
  let take = wanted;
  while (!(await claimName(temporary, join(folder.path, getRecordingFileName(key, take))))) {
    index.changed(getFolderOfKey(provider, key));
    take = Math.max(take + 1, findFreeNumber(index.takes(provider, key)));
  }
  return take;
}

/** Writes a recording to a temporary file in its folder. */
function createTextWriter({ dir }: Parts, folders: FolderMaker): (recording: Recording) => Promise<Written> {
  // A recording can be written even if .gitignore cannot.
  const ignoring = once(() => ignoreTemporary(dir).catch(() => undefined));
  return async (recording: Recording): Promise<Written> => {
    const { bytes, blobs, hash } = encodeFile(recording);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const folder = folders.make(getFolderOfKey(recording.provider, recording.key));
        await ignoring();
        return { folder, temporary: await writeBeside(folder.path, bytes, { dir, blobs, folders }), hash };
      } catch (error) {
        if (getErrorCode(error) !== "ENOENT" || attempt === ATTEMPTS) throw error;
      }
    }
  };
}

/** Writes a temporary file, and the blobs that it names at the same time. All are durable when it resolves. */
async function writeBeside(
  folder: string,
  bytes: Uint8Array,
  {
    dir,
    blobs,
    folders,
  }: Pick<Parts, "dir"> & { readonly blobs: ReadonlyMap<string, Uint8Array>; readonly folders: FolderMaker },
): Promise<string> {
  const temporary = writeTemporary(folder, bytes);
  try {
    if (blobs.size > 0) await writeBlobs(dir, blobs, folders);
  } catch (error) {
    await temporary.then(discard, () => undefined);
    throw error;
  }
  return temporary;
}

/** Runs an action at the first call and gives all calls its result. */
function once<T>(action: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => (result ??= { value: action() }).value;
}

/** Makes a new name durable, or removes it: its recording was not reported yet. */
async function durably({ path, durable }: MadeFolder, target: string): Promise<void> {
  try {
    await Promise.all([durable, syncFolder(path)]);
  } catch (error) {
    await discard(target);
    throw error;
  }
}

/** The recording files that this process wrote, by the hashes of their texts. */
export interface OwnTexts {
  /** Whether this process wrote this text to an entry last, or is writing it at the moment. */
  isAt(entry: string, hash: string): boolean;
  put(entry: string, hash: string): void;
  /** Notes a text whose entry is not known yet. Call the result with the entry, or without one if it got none. */
  adding(hash: string): (entry?: string) => void;
}

/** Only concurrent calls need this, so older texts are forgotten. */
const MOST = 4_096;

export function createOwnTexts(): OwnTexts {
  const put = new Map<string, string>();
  const adding = new Map<symbol, string>();
  const remember = (entry: string, hash: string): void => {
    put.delete(entry);
    put.set(entry, hash);
    for (const oldest of put.keys()) {
      if (put.size <= MOST) break;
      put.delete(oldest);
    }
  };
  return {
    isAt: (entry, hash) => put.get(entry) === hash || [...adding.values()].includes(hash),
    put: remember,
    adding(hash) {
      const one = Symbol(hash);
      adding.set(one, hash);
      return (entry) => {
        if (entry !== undefined) remember(entry, hash);
        adding.delete(one);
      };
    },
  };
}
