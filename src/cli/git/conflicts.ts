import { join, relative, sep } from "node:path";
import { byAddress, readEntry } from "../../core/cassette/address.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { type Versions, conflictSides } from "../../core/merge/choose-recording.ts";
import { createSurveyor } from "../../storage/folder/survey.ts";
import { readText } from "../../storage/folder/read-file.ts";
import { gitNames, runGit } from "./run-git.ts";

/** A recording of which git, or marks in its file, say that two branches do not agree. */
export interface Conflict {
  readonly address: RecordingAddress;
  readonly versions: Versions;
  /** Whether git's index says so; otherwise marks were left in the file. */
  readonly isUnmerged: boolean;
}

/** All in a cassette folder, by call and take. @throws TapedeckError where git cannot be asked. */
export async function findConflicts(dir: string): Promise<readonly Conflict[]> {
  const unmerged = await unmergedIn(dir);
  const known = new Set(unmerged.map(({ address }) => address.entry));
  const marked: Conflict[] = [];
  for (const address of (await createSurveyor(dir)()).addresses) {
    if (known.has(address.entry)) continue;
    const text = await readText(join(dir, address.entry)).catch(() => "");
    const sides = text.includes("<<<<<<<") ? conflictSides(text) : undefined;
    if (sides !== undefined)
      marked.push({ address, versions: { base: undefined, ...sides }, isUnmerged: false });
  }
  return [...unmerged, ...marked].sort((a, b) => byAddress(a.address, b.address));
}

/** Tells git that these are settled: as they are now, or deleted. */
export async function markResolved(
  dir: string,
  entries: readonly string[],
  { isDeleted }: { readonly isDeleted: boolean },
): Promise<void> {
  const how = isDeleted ? ["rm", "-q", "-f"] : ["add", "-f"];
  await runGit(dir, [...how, "--", ...entries]);
}

const STAGES = { "1": "base", "2": "ours", "3": "theirs" } as const;

async function unmergedIn(dir: string): Promise<readonly Conflict[]> {
  const lines = await gitNames(dir, ["ls-files", "-u", "-z", "--", "calls"]);
  const stages = new Map<string, { base?: string; ours?: string; theirs?: string }>();
  for (const line of lines) {
    const [, id = "", stage = "", path = ""] = /^\d+ ([0-9a-f]+) ([123])\t(.*)$/s.exec(line) ?? [];
    const name = STAGES[stage as keyof typeof STAGES];
    stages.set(path, { ...stages.get(path), [name]: id });
  }
  const conflicts: Conflict[] = [];
  for (const [path, { base, ours, theirs }] of stages) {
    const address = readEntry(relative(dir, join(dir, path)).split(sep).join("/"));
    if ("wrong" in address) continue;
    const versions = {
      base: await blob(dir, base),
      ours: await blob(dir, ours),
      theirs: await blob(dir, theirs),
    };
    conflicts.push({ address, versions, isUnmerged: true });
  }
  return conflicts;
}

async function blob(dir: string, id: string | undefined): Promise<string | undefined> {
  return id === undefined ? undefined : (await runGit(dir, ["cat-file", "blob", id])).toString("utf8");
}
