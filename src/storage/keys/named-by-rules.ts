import { existsSync, lstatSync } from "node:fs";
import { lutimes, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CassetteStore } from "../../core/cassette/store.ts";
import { TAKEN, whereCode } from "../folder/failures.ts";
import { createFolderMaker } from "../folder/folders.ts";

/** Lies in the cassette folder, committed with it. */
export const NAMED_BY_RULES = "named-by-rules.txt";

const TEXT = [
  "Recordings in this folder were named under the rules of tapedeck.jsonc.",
  "While this file is here, recordings are found by what they asked for and not by their names alone.",
  "Where the rules are gone for good, `tapedeck check --fix` renames the recordings and deletes this file.",
  "",
].join("\n");

/** A store that can tell whether its names may mislead: then only a recording's content says which call it answers. */
export interface NamedStore extends CassetteStore {
  hasNamedByRules(): boolean;
}

/** One that is there gets another state: whoever is about to take it away sees that it is needed again. */
export async function makeNamedByRules(dir: string): Promise<void> {
  const path = join(dir, NAMED_BY_RULES);
  const now = new Date();
  const isThere = await lutimes(path, now, now).then(
    () => true,
    () => existsSync(path),
  );
  if (isThere) return;
  await createFolderMaker(dir).ensure("calls");
  await writeFile(path, TEXT, { flag: "wx" }).catch(whereCode(TAKEN, undefined));
}

/** What tells one state of it from the next; undefined where there is none. */
export function namedByRulesState(dir: string): string | undefined {
  const stats = lstatSync(join(dir, NAMED_BY_RULES), { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

/** For when no recording was named under rules any more while it was in this state. */
export async function removeNamedByRules(dir: string, state: string | undefined): Promise<void> {
  if (state !== undefined && namedByRulesState(dir) === state)
    await rm(join(dir, NAMED_BY_RULES), { force: true });
}
