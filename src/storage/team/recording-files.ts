import { dirname, join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import { readBlob, writeBlobs } from "../folder/blobs.ts";
import { NOWHERE, runStorageTask, recoverFromCodes } from "../folder/failures.ts";
import { makeFolders, replaceWhole } from "../folder/durable-write.ts";
import { createFolderStore } from "../folder/folder-store.ts";
import { readBytes, readWholeFile } from "../folder/read-file.ts";
import { putWhole } from "../folder/remove-recording.ts";

/** The file of a recording, and the large bodies that it names. */
export interface RecordingFile {
  readonly entry: string;
  readonly bytes: Uint8Array;
  /** By SHA-256. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** Reads the file of a recording in a cassette folder. @throws TapedeckError `tapedeck_cassette` */
export function readRecordingFile(dir: string, entry: string): Promise<RecordingFile> {
  return runStorageTask(dir, async () => {
    const bytes = await readWholeFile(join(dir, entry));
    const blobs = new Map<string, Uint8Array>();
    for (const hash of listNamedBlobs(bytes)) {
      const blob = readBlob(dir, hash);
      if (blob !== undefined) blobs.set(hash, blob);
    }
    return { entry, bytes, blobs };
  });
}

/** The SHA-256 in every text of a recording's file that may name a large body. */
export function listNamedBlobs(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return [...new Set([...text.matchAll(/blobs\/([0-9a-f]{64})/g)].map(([, hash = ""]) => hash))];
}

/** Writes a recording durably. False if the entry is taken. @throws TapedeckError `tapedeck_cassette` */
export function putRecording(dir: string, { entry, bytes, blobs }: RecordingFile): Promise<boolean> {
  return runStorageTask(dir, async () => {
    await writeBlobs(dir, blobs);
    return putWhole(dir, entry, bytes);
  });
}

/**
 * Makes these files all takes of their call in a folder whose recordings can be downloaded again, without waiting for
 * the disk. Resolves to how many changed.
 * @throws TapedeckError `tapedeck_cassette` if the disk refuses
 */
export function putTakes(dir: string, files: readonly RecordingFile[]): Promise<number> {
  return runStorageTask(dir, async () => {
    let changed = await removeOtherTakes(dir, files);
    for (const { entry, bytes, blobs } of files) {
      await writeBlobs(dir, blobs);
      const path = join(dir, entry);
      const standing = await readBytes(path).catch(recoverFromCodes(NOWHERE, undefined));
      if (standing !== undefined && Buffer.compare(standing, bytes) === 0) continue;
      await makeFolders(dir, dirname(entry));
      await replaceWhole(path, bytes, { isSynced: false });
      changed += 1;
    }
    return changed;
  });
}

/** Removes takes that the team does not have any more. */
async function removeOtherTakes(dir: string, files: readonly RecordingFile[]): Promise<number> {
  const address = readEntry(files[0]?.entry ?? "");
  if ("wrong" in address) return 0;
  const layer = createFolderStore(dir);
  const kept = new Set(files.map(({ entry }) => entry));
  const others = layer.takes(address.provider, address.key).filter(({ entry }) => !kept.has(entry));
  for (const { entry } of others) await layer.remove(entry);
  return others.length;
}
