import type { Key } from "../../core/call.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { isTapedeckError } from "../../core/errors.ts";
import type { FolderStore } from "../folder/folder-store.ts";
import { decodeFile } from "../folder/recording-reader.ts";
import { sha256 } from "../folder/sha256.ts";
import { readRecordingFile } from "./put-recording.ts";

/**
 * Takes a key's recordings out of a team's layer where the bytes of one are no recording of it: cut off by a loss of
 * power, or of a later format. They can be had again, all of them or none. Gives why, or undefined where nothing was done.
 */
export async function takeOutUnreadable(
  layerDir: string,
  layer: FolderStore,
  { provider, key }: { readonly provider: string; readonly key: Key },
): Promise<string | undefined> {
  const takes = layer.takes(provider, key);
  const wrong = await firstWrong(layerDir, takes);
  if (wrong === undefined) return undefined;
  for (const { entry } of takes) await layer.remove(entry);
  return wrong;
}

async function firstWrong(layerDir: string, takes: readonly RecordingAddress[]): Promise<string | undefined> {
  for (const address of takes) {
    // What the disk refuses may be there the next time.
    const file = await readRecordingFile(layerDir, address.entry).catch(() => undefined);
    if (file === undefined) continue;
    try {
      decodeFile(file.bytes, address, { dir: layerDir, sha256, wanted: "reply" });
    } catch (error) {
      if (!isTapedeckError(error)) throw error;
      return error.message;
    }
  }
  return undefined;
}
