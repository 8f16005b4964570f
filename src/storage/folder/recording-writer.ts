import { basename, join } from "node:path";
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
import { NO_CONTENT, type RecordingReplacement } from "../../core/cassette/store.ts";
import { writeBlobs } from "./blobs.ts";
import { dropEarlier, keepEarlier } from "../local/earlier.ts";
import { getErrorCode } from "./failures.ts";
import { commitMoves, settleMoves, type Move } from "./moves.ts";
import { computeSha256, hashFile } from "./read-file.ts";
import {
  claimName,
  discard,
  ignoreTemporary,
  makeFoldersNow,
  syncFolder,
  syncNewFolders,
  writeTemporary,
} from "./durable-write.ts";

interface Parts {
  readonly dir: string;
  readonly index: {
    /** Returns the takes of a key in order. */
    takes(provider: string, key: Key): readonly RecordingAddress[];
    /** Makes the next look at this folder read it again. */
    changed(folder: string): void;
  };
}

interface WrittenFile {
  readonly folder: string;
  readonly temporary: string;
  readonly hash: string;
}

interface ReplacingFile extends WrittenFile, Pick<RecordingReplacement, "entry" | "since"> {}

/** A folder may be deleted between making it and writing into it. */
const ATTEMPTS = 3;

/** Writes recordings so that each is whole or absent after a kill at any moment. Throws the system's errors. */
export function createRecordingWriter({ dir, index }: Parts) {
  /** By entry, the hash of the text that this process wrote last: concurrent calls may replace it. */
  const own = new Map<string, string>();
  const write = createFileWriter(dir);

  return {
    /** Adds a recording as take `number`, or as the next one if that exists. */
    async add(recording: Recording, number?: number): Promise<RecordingAddress> {
      const { provider, key } = recording;
      // Look before the temporary file changes the folder, which would be read again.
      const isNamed = number !== undefined && number > 0;
      const firstNumber = isNamed ? number : findFreeNumber(index.takes(provider, key));
      const file = await write(recording);
      try {
        const address = claimTake(file, recording, firstNumber, index);
        own.set(address.entry, file.hash);
        // Together, because the system writes what waits at the same time at once.
        await Promise.all([syncFolder(file.folder), syncNewFolders(file.folder)]).catch(
          async (error: unknown) => {
            // A recording that was not reported yet is removed again.
            await discard(join(file.folder, getRecordingFileName(key, address.take)));
            throw error;
          },
        );
        return address;
      } finally {
        await discard(file.temporary);
      }
    },
    /** Replaces all or none. `since`: the content when the call started. Without it, any content is replaced. */
    async replace(changes: readonly RecordingReplacement[]): Promise<void> {
      for (const { entry, recording } of changes) getRecordingAddress(entry, recording);
      const [files, kept]: [ReplacingFile[], string[]] = [[], []];
      try {
        for (const { entry, recording, since } of changes) {
          const file = await write(recording);
          files.push({ entry, since, ...file });
          await syncNewFolders(file.folder);
          if (await keepEarlier(dir, entry)) kept.push(entry);
        }
        const entries = files.map(({ entry }) => entry);
        await commitMoves(dir, entries, () => {
          const moves = files.map((file) => planMove(dir, file, own));
          for (const { entry, hash } of files) own.set(entry, hash);
          return moves;
        });
      } catch (error) {
        await dropEarlier(dir, kept);
        await Promise.all(files.map(({ temporary }) => discard(temporary)));
        throw error;
      }
      // A failure from here on must leave the temporary files to the next reader.
      await settleMoves(dir);
    },
  };
}

/** @throws `EditedMeanwhile` if someone else changed the file that is replaced */
function planMove(
  dir: string,
  { entry, since, temporary }: ReplacingFile,
  own: ReadonlyMap<string, string>,
): Move {
  const standing = hashFile(join(dir, entry));
  const isExpected =
    since === undefined || standing === undefined || standing === since || standing === own.get(entry);
  if (!isExpected) throw describeEditedMeanwhile(entry, since === NO_CONTENT);
  return { entry, temporary: basename(temporary), standing: standing ?? NO_CONTENT };
}

/** Gives a file the name of a take, or of the next free one. */
function claimTake(
  { folder, temporary }: WrittenFile,
  { provider, key }: Recording,
  firstNumber: number,
  index: Parts["index"],
): RecordingAddress {
  for (let take = firstNumber; ;) {
    if (claimName(temporary, join(folder, getRecordingFileName(key, take))))
      return createRecordingAddress(provider, key, take);
    index.changed(getFolderOfKey(provider, key));
    take = Math.max(take + 1, findFreeNumber(index.takes(provider, key)));
  }
}

/** Returns a function that writes a recording to a temporary file in its folder. */
function createFileWriter(dir: string): (recording: Recording) => Promise<WrittenFile> {
  let ignoring: Promise<void> | undefined;

  return async (recording) => {
    const { text, blobs } = encodeRecording(recording, { sha256: computeSha256 });
    const bytes = Buffer.from(text);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const folder = makeFoldersNow(dir, getFolderOfKey(recording.provider, recording.key));
        // A recording can be written even if .gitignore cannot.
        await (ignoring ??= ignoreTemporary(dir).catch(() => undefined));
        if (blobs.size > 0) await writeBlobs(dir, blobs);
        return { folder, temporary: await writeTemporary(folder, bytes), hash: computeSha256(bytes) };
      } catch (error) {
        if (getErrorCode(error) !== "ENOENT" || attempt === ATTEMPTS) throw error;
      }
    }
  };
}
