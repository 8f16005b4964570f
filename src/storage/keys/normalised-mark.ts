import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../folder/failures.ts";
import { createFolderMaker } from "../folder/folders.ts";
import type { Changes } from "../replay/quiet-folders.ts";

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

/** Says that names of recordings may be keys under rules, which without these rules are the keys of other calls. */
export interface NormalisedMark {
  isThere(): boolean;
  make(): Promise<void>;
  /** A recording of the kind was seen although nothing said so. */
  seen(): void;
}

/** That it is there by now counts as a change. */
export function createNormalisedMark(dir: string, changes: Changes): NormalisedMark {
  const path = join(dir, NAME);
  let wasSeen = false;
  let there = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const isThereNow = (now: boolean): void => {
    if (now && !there) changes.count += 1;
    there = now;
  };
  return {
    isThere() {
      const now = performance.now();
      if (now - lookedAt > LATELY_MS) {
        isThereNow(existsSync(path));
        lookedAt = now;
      }
      return there || wasSeen;
    },
    async make() {
      await makeNormalisedMark(dir);
      isThereNow(true);
    },
    seen() {
      wasSeen = true;
      changes.count += 1;
    },
  };
}

export async function makeNormalisedMark(dir: string): Promise<void> {
  const path = join(dir, NAME);
  if (existsSync(path)) return;
  await createFolderMaker(dir).ensure("calls");
  await writeFile(path, TEXT, { flag: "wx" }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}

/** For when no recording is named under rules any more. */
export async function removeNormalisedMark(dir: string): Promise<void> {
  await rm(join(dir, NAME), { force: true });
}
