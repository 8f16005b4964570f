import { existsSync, lstatSync } from "node:fs";
import { lutimes, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CassetteStore } from "../../core/cassette/store.ts";
import { TAKEN, whereCode } from "../folder/failures.ts";
import { createFolderMaker } from "../folder/folders.ts";

/** Lies in the cassette folder, committed with it. */
const NAME = "named-by-rules.txt";

const TEXT = [
  "Recordings in this folder were named under the rules of tapedeck.jsonc.",
  "While this file is here, recordings are found by what they asked for and not by their names alone.",
  "Where the rules are gone for good, `tapedeck check --fix` renames the recordings and deletes this file.",
  "",
].join("\n");

/** So long a look at the folder counts. */
const LATELY_MS = 250;

/** A store that can tell whether its names may mislead: then only a recording's content says which call it answers. */
export interface NamedStore extends CassetteStore {
  hasNamedByRules(): boolean;
}

/** Says that names of recordings may be keys under rules, which without these rules are the keys of other calls. */
export interface NamedByRules {
  isThere(): boolean;
  /** Looks at it now, whenever the last look was. */
  look(): boolean;
  make(): Promise<void>;
  /** A recording of the kind was seen although nothing said so. */
  seen(): void;
}

export function createNamedByRules(dir: string): NamedByRules {
  const path = join(dir, NAME);
  let wasSeen = false;
  let there = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const look = (): boolean => {
    there = existsSync(path);
    lookedAt = performance.now();
    return there || wasSeen;
  };
  return {
    isThere: () => (performance.now() - lookedAt > LATELY_MS ? look() : there || wasSeen),
    look,
    async make() {
      await makeNamedByRules(dir);
      there = true;
    },
    seen() {
      wasSeen = true;
    },
  };
}

/** One that is there gets another state: whoever is about to take it away sees that it is needed again. */
export async function makeNamedByRules(dir: string): Promise<void> {
  const path = join(dir, NAME);
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
  const stats = lstatSync(join(dir, NAME), { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

/** For when no recording was named under rules any more while it was in this state. */
export async function removeNamedByRules(dir: string, state: string | undefined): Promise<void> {
  if (state !== undefined && namedByRulesState(dir) === state) await rm(join(dir, NAME), { force: true });
}
