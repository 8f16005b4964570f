import { lstatSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { decodeRecording } from "../../core/cassette/codec.ts";
import { readEntry } from "../../core/cassette/address.ts";
import type { Key } from "../../core/call.ts";
import { computeKey } from "../../core/match/key/key.ts";
import { claimName } from "../folder/atomic-write.ts";
import { syncFolder } from "../folder/sync.ts";
import { readBlob } from "../folder/blobs.ts";
import { GONE, noSuchRecording, storageFailure, whereCode } from "../folder/failures.ts";
import { createFolderMaker } from "../folder/folders.ts";
import { readLocalState, updateLocal } from "../local/local-state.ts";
import { makeNamedByRules, removeNamedByRules } from "../keys/named-by-rules.ts";
import { readText, isWithoutLinks } from "../folder/read-file.ts";
import { sha256 } from "../folder/sha256.ts";
import { discard, writeTemporary } from "../folder/temporary.ts";
import type { Rename } from "./names.ts";

/** What became of each: renamed, or left because its name was taken by another file. */
export interface FixedNames {
  readonly renamed: readonly Rename[];
  readonly taken: readonly Rename[];
}

/**
 * Gives recordings the names that fit their keys, comments in their files kept. Each is there under one of its names
 * at any moment. What this machine remembers of them goes along.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses; those before it are renamed.
 */
export async function fixNames(dir: string, renames: readonly Rename[]): Promise<FixedNames> {
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
    return { renamed, taken: left };
  } catch (error) {
    throw storageFailure(dir, error);
  } finally {
    await renameInState(dir, renamed);
  }
}

/** For when all names fit (`mark`: what said so when they were looked at): where none of them was made under rules, nothing has to say so any more. */
export async function forgetRules(
  dir: string,
  { hasNamedByRules, mark }: { readonly hasNamedByRules: boolean; readonly mark: string | undefined },
): Promise<void> {
  if (!hasNamedByRules) await removeNamedByRules(dir, mark);
}

/** "gone": another one renamed it, or deleted it, since it was looked at. */
async function renameOne(dir: string, { from, to }: Rename): Promise<"renamed" | "taken" | "gone"> {
  if (lstatSync(join(dir, from), { throwIfNoEntry: false }) === undefined) return "gone";
  // What a link leads to is somebody else's.
  if (!isWithoutLinks(dir, dirname(from))) throw noSuchRecording(from);
  const text = await readText(join(dir, from)).catch(whereCode(GONE, undefined));
  if (text === undefined) return "gone";
  // Before and after: somebody who found it needless before may take it away in between.
  await makeNamedByRules(dir);
  const folder = await createFolderMaker(dir).ensure(dirname(to.entry));
  const temporary = await writeTemporary(folder, renamedText(dir, text, { from, to }));
  try {
    if (!(await claimName(temporary, join(folder, basename(to.entry))))) return "taken";
    await makeNamedByRules(dir);
    await syncFolder(folder);
  } finally {
    await discard(temporary);
  }
  await unlink(join(dir, from)).catch(whereCode(GONE, undefined));
  await syncFolder(dirname(join(dir, from)));
  return "renamed";
}

function renamedText(dir: string, text: string, { from, to }: Rename): string {
  const address = readEntry(from);
  if ("wrong" in address) throw new Error(`${from} is no entry`);
  let exactKey: Key | undefined;
  decodeRecording(text, address, {
    sha256,
    readBlob: (hash) => readBlob(dir, hash),
    verifyKey: (request) => (exactKey = computeKey(request, sha256)),
  });
  const named = withMember(text, "key", to.key);
  return withMember(named, "exactKey", exactKey === to.key ? undefined : exactKey);
}

/** The member with another value, or without it; a new one stands behind the key. */
function withMember(text: string, name: string, value: string | undefined): string {
  const edits = modify(text, [name], value, {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
    getInsertionIndex: (names) => names.indexOf("key") + 1,
  });
  return applyEdits(text, edits);
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
