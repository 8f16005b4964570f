import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { tryParsePlainJson } from "../../core/base/lenient.ts";
import { createRecordingAddress, isKey, readEntry } from "../../core/cassette/address.ts";
import { computeKey } from "../../core/match/key/key.ts";
import { computeSha256 } from "../folder/sha256.ts";
import { decodeFile } from "../folder/recording-reader.ts";
import { readWholeFile } from "../folder/read-file.ts";

/** Maximum number of takes of one key to look at. */
const MOST_TAKES = 1_000;

/**
 * Returns the entry that matches a recording under a wrong name: its provider, its key, and the first free take.
 * Undefined if the file is not a whole recording, or has the right name. `path` is relative to the cassette folder.
 * Changes nothing.
 */
export async function findFittingPlace(dir: string, path: string): Promise<string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readWholeFile(join(dir, path));
  } catch {
    return undefined; // a folder, a link, or gone
  }
  const said = whatItSays(bytes);
  if (said === undefined) return undefined;
  const { provider, key } = said;
  const own = readEntry(path);
  if ("key" in own && own.key === key && own.provider === provider) return undefined;
  try {
    decodeFile(bytes, createRecordingAddress(provider, key, 1), {
      dir,
      wanted: "all",
      verifyKey: (request) => computeKey(request, computeSha256),
    });
  } catch {
    return undefined; // renamed, it would be broken still
  }
  for (let take = 1; take <= MOST_TAKES; take += 1) {
    const { entry } = createRecordingAddress(provider, key, take);
    if (!(await isThere(join(dir, entry)))) return entry;
  }
  return undefined;
}

/** Names in a file are looked for by themselves: the file may have comments, and is read properly afterwards. */
function whatItSays(bytes: Uint8Array) {
  const head = new TextDecoder().decode(bytes.subarray(0, 65_536));
  const key = /"key"\s*:\s*"([^"\\]*)"/.exec(head)?.[1] ?? "";
  const provider = /"provider"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(head)?.[1];
  const said = tryParsePlainJson(provider ?? "");
  return isKey(key) && typeof said === "string" ? { key, provider: said } : undefined;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
