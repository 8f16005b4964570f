import { rename } from "node:fs/promises";
import { join } from "node:path";
import { addressOf } from "../../core/cassette/address.ts";
import { decodeReply } from "../../core/cassette/codec.ts";
import type { Key } from "../../core/call.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { isTapedeckError } from "../../core/errors.ts";
import { readBlob } from "../folder/blobs.ts";
import type { FolderStore } from "../folder/folder-store.ts";
import { computeKey } from "../../core/match/key/key.ts";
import { decodeFile } from "../folder/recording-reader.ts";
import { sha256 } from "../folder/sha256.ts";
import { readRecordingFile } from "./put-recording.ts";

/**
 * Takes recordings of a key out of a team's layer where the bytes of one are no recording of it. Where one is damaged, cut
 * off by a loss of power, or of a later format, all go: they can be had again, all of them or none. One of another request
 * came so, and goes alone: as one that was refused it counts as never written, in the numbers after it too. Gives
 * what was done and why, or undefined where nothing was.
 */
export async function takeOutUnreadable(
  layerDir: string,
  layer: FolderStore,
  { provider, key }: { readonly provider: string; readonly key: Key },
): Promise<string | undefined> {
  const takes = layer.takes(provider, key);
  const wrong = new Map<string, Wrong>();
  for (const address of takes) {
    const found = await wrongAt(layerDir, address);
    if (found !== undefined) wrong.set(address.entry, found);
  }
  const [first] = wrong.values();
  const isDamaged = [...wrong.values()].some(({ isOfAnother }) => !isOfAnother);
  let out = 0;
  for (const { entry, take } of first === undefined ? [] : takes) {
    if (isDamaged || wrong.has(entry)) {
      await layer.remove(entry);
      out += 1;
    } else if (out > 0) {
      await rename(join(layerDir, entry), join(layerDir, addressOf(provider, key, take - out).entry));
    }
  }
  if (first === undefined) return undefined;
  const again = isDamaged ? ", to be fetched again" : "";
  return `What came from a team's cache was taken out of ${layerDir}${again}. ${first.why}`;
}

interface Wrong {
  readonly why: string;
  /** Whether it is whole, and the recording of another request. */
  readonly isOfAnother: boolean;
}

async function wrongAt(layerDir: string, address: RecordingAddress): Promise<Wrong | undefined> {
  // What the disk refuses may be there the next time.
  const file = await readRecordingFile(layerDir, address.entry).catch(() => undefined);
  if (file === undefined) return undefined;
  const decoding = { sha256, readBlob: (hash: string) => readBlob(layerDir, hash) };
  const why = problemWith(() =>
    decodeFile(file.bytes, address, {
      dir: layerDir,
      wanted: "reply",
      verifyKey: (request) => computeKey(request, sha256),
    }),
  );
  if (why === undefined) return undefined;
  return { why, isOfAnother: problemWith(() => decodeReply(file.bytes, address, decoding)) === undefined };
}

/** What is wrong with a file, as its reading says. */
function problemWith(reading: () => unknown): string | undefined {
  try {
    reading();
    return undefined;
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    return error.message;
  }
}
