import { rename } from "node:fs/promises";
import { join } from "node:path";
import { addressOf, fileNameOf, folderOfKey, placeFor } from "../core/cassette/address.ts";
import { encodeRecording } from "../core/cassette/codec.ts";
import type { Recording, RecordingAddress } from "../core/cassette/recording.ts";
import type { Sha256 } from "../core/match/canonical.ts";
import { claimName, syncFolder } from "./atomic-write.ts";
import { writeBlobs } from "./blobs.ts";
import { keepEarlier } from "./earlier.ts";
import { codeOf } from "./failures.ts";
import type { FolderIndex } from "./folder-index.ts";
import { createFolderMaker } from "./folders.ts";
import { discard, writeTemporary } from "./temporary.ts";

/** Writes recordings so that a kill at any moment leaves each of them whole or absent. Throws the system's errors. */
export interface RecordingWriter {
  add(recording: Recording): Promise<RecordingAddress>;
  replace(entry: string, recording: Recording): Promise<void>;
}

interface Parts {
  readonly dir: string;
  readonly sha256: Sha256;
  readonly index: FolderIndex;
}

/** A folder may be deleted between making it and writing into it. */
const ATTEMPTS = 3;

export function createRecordingWriter({ dir, sha256, index }: Parts): RecordingWriter {
  const folders = createFolderMaker(dir);

  const written = async (recording: Recording): Promise<{ folder: string; temporary: string }> => {
    const { text, blobs } = encodeRecording(recording, { sha256 });
    for (let attempt = 1; ; attempt += 1) {
      try {
        await writeBlobs(dir, blobs, folders);
        const folder = await folders.ensure(folderOfKey(recording.provider, recording.key));
        return { folder, temporary: await writeTemporary(folder, text) };
      } catch (error) {
        if (codeOf(error) !== "ENOENT" || attempt === ATTEMPTS) throw error;
      }
    }
  };

  return {
    async add(recording) {
      const { provider, key } = recording;
      const { folder, temporary } = await written(recording);
      try {
        let take = (index.takes(provider, key).at(-1)?.take ?? 0) + 1;
        while (!(await claimName(temporary, join(folder, fileNameOf(key, take))))) take += 1;
        await durably(folder, join(folder, fileNameOf(key, take)));
        return addressOf(provider, key, take);
      } finally {
        await discard(temporary);
      }
    },
    async replace(entry, recording) {
      const address = placeFor(entry, recording);
      const { folder, temporary } = await written(recording);
      try {
        await keepEarlier(dir, entry);
        await rename(temporary, join(folder, fileNameOf(address.key, address.take)));
        await syncFolder(folder);
      } finally {
        await discard(temporary);
      }
    },
  };
}

/** Where the new name cannot be made durable there is to be none: nobody was told of it. */
async function durably(folder: string, target: string): Promise<void> {
  try {
    await syncFolder(folder);
  } catch (error) {
    await discard(target);
    throw error;
  }
}
