import { createFolderStore, listStrays } from "../../src/storage/folder/folder-store.ts";
import type { Acknowledged } from "./a-recorder.ts";
import { sha256 } from "./a-recording.ts";

/** Returns a sentence for each acknowledged call that is missing or changed in the folder, and for each torn file. */
export async function damageOf(
  dir: string,
  acknowledged: readonly Acknowledged[],
): Promise<readonly string[]> {
  const store = createFolderStore(dir);
  const found = new Map<string, string>();
  const torn: string[] = [];
  for (const { entry } of await store.list()) {
    await store.read(entry).then(
      ({ reply }) => found.set(entry, sha256(reply.body)),
      (error: unknown) => torn.push(`torn: ${String(error)}`),
    );
  }
  const strays = listStrays(dir).map(({ path, reason }) => `stray: ${path}: ${reason}`);
  const lost = acknowledged
    .filter((one) => found.get(one.entry) !== one.sha256)
    .map(({ entry }) => `lost: ${entry} is ${found.has(entry) ? "another reply" : "not there"}`);
  const twice = acknowledged.length - new Set(acknowledged.map(({ entry }) => entry)).size;
  return [...torn, ...strays, ...lost, ...(twice > 0 ? [`${twice} names were given twice`] : [])];
}
