import { lstatSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { claimName } from "../folder/atomic-write.ts";
import { syncFolder, discard, writeTemporary } from "../folder/temporary.ts";
import { GONE, noSuchRecording, storageFailure, whereCode } from "../folder/failures.ts";
import { createFolderMaker } from "../folder/folders.ts";
import { readLocalState, updateLocal } from "../local/local-state.ts";
import { readText, isWithoutLinks } from "../folder/read-file.ts";
import type { Finding } from "../check/findings.ts";
import type { Rename } from "./plan-names.ts";

/** What became of recordings whose names do not fit their keys. */
export interface RenamedRecordings {
  readonly renamed: readonly Rename[];
  /** Recordings that kept their names, and why. */
  readonly left: readonly Finding[];
}

/**
 * Gives recordings the names that fit their keys, comments in their files kept. Each is there under one of its names
 * at any moment. What this machine remembers of them goes along.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses; those before it are renamed.
 */
export async function renameRecordings(
  dir: string,
  renames: readonly Rename[],
): Promise<Pick<RenamedRecordings, "renamed">> {
  const renamed: Rename[] = [];
  let left = renames;
  try {
    // A name may be free only after its recording got another one.
    for (let before = -1; left.length > 0 && left.length !== before;) {
      before = left.length;
      const taken: Rename[] = [];
      for (const one of left) {
        const outcome = await renameOne(dir, one);
        if (outcome === "renamed") renamed.push(one);
        if (outcome === "taken") taken.push(one);
      }
      left = taken;
    }
    return { renamed };
  } catch (error) {
    throw storageFailure(dir, error);
  } finally {
    await renameInState(dir, renamed);
  }
}

/** "gone": another one renamed it, or deleted it, since it was looked at. */
async function renameOne(dir: string, { from, to }: Rename): Promise<"renamed" | "taken" | "gone"> {
  if (lstatSync(join(dir, from), { throwIfNoEntry: false }) === undefined) return "gone";
  // What a link leads to is somebody else's.
  if (!isWithoutLinks(dir, dirname(from))) throw noSuchRecording(from);
  const text = await readText(join(dir, from)).catch(whereCode(GONE, undefined));
  if (text === undefined) return "gone";
  const folder = await createFolderMaker(dir).ensure(dirname(to.entry));
  const temporary = await writeTemporary(folder, renamedText(text, to.key));
  try {
    if (!(await claimName(temporary, join(folder, basename(to.entry))))) return "taken";
    await syncFolder(folder);
  } finally {
    await discard(temporary);
  }
  await unlink(join(dir, from)).catch(whereCode(GONE, undefined));
  await syncFolder(dirname(join(dir, from)));
  return "renamed";
}

/** The file with another key; comments stay. */
function renamedText(text: string, key: string): string {
  return applyEdits(text, modify(text, ["key"], key, {}));
}

async function renameInState(dir: string, renames: readonly Rename[]): Promise<void> {
  if (renames.length === 0) return;
  const names = new Map(renames.map(({ from, to }) => [from, to.entry]));
  for (const state of ["usage", "candidates"]) {
    if ((await readLocalState(dir, state)).value === undefined) continue;
    await updateLocal(dir, state, (now) => renamedIn(now, names));
  }
}

function renamedIn(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one: unknown) => renamedIn(one, names));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [names.get(name) ?? name, renamedIn(one, names)]),
  );
}
