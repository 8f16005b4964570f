import { localize, getProgramName } from "../../core/base/localize.ts";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findRepository } from "../../storage/inside.ts";
import { runGit } from "./run-git.ts";
import type { NamedDir } from "../options/dir.ts";
import type { Terminal } from "../terminal.ts";
import { existsSync } from "node:fs";
import { createFolderIndex } from "../../storage/folder/folder-store.ts";
import type { RunEvent } from "../report/run-report.ts";
import { GONE, runStorageTask, recoverFromCodes } from "../../storage/folder/failures.ts";
import { READ_LIMITS, readText } from "../../storage/folder/read-file.ts";
import { replaceWhole } from "../../storage/folder/durable-write.ts";

/** Has git keep recordings byte for byte, fold them in reviews and never mix two of them, in every clone. */
export async function setUpAttributes(
  { dir, shownDir }: Omit<NamedDir, "project">,
  terminal: Terminal,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  const isAdded = await addAttributes(dir);
  const file = `${shownDir}/${ATTRIBUTES}`;
  terminal.err(
    isAdded ? localize("Wrote {0}. Commit this file.\n", file) : localize("{0} is already set up.\n", file),
  );
}

/**
 * Names the command that sets git up, after the run that made the first recordings of a folder in a repository. If git
 * ignores them, names the line that does.
 */
export async function offerGitSetup(
  dir: string,
  events: readonly RunEvent[],
  terminal: Terminal,
): Promise<void> {
  const made = new Set(events.flatMap(({ outcome, entry }) => (outcome === "recorded" ? (entry ?? []) : [])));
  const [first] = made;
  if (first === undefined || findRepository(dir) === undefined || !(await isFirst(dir, made))) return;
  const ignoring = await findIgnoringLine(dir, first);
  if (ignoring !== undefined) {
    const text = localize(
      "Git ignores these recordings because of {0}. To replay them in CI, remove this line, or use a team cache.\n",
      ignoring,
    );
    return terminal.err(text);
  }
  const command = `${getProgramName()} git setup`;
  terminal.err(
    localize("To fold recordings in reviews and keep each one whole in merges, run: {0}\n", command),
  );
}

/** Finds the line that makes git ignore a recording: ".gitignore:2:.tapedeck". Git also lists lines that include it again. */
async function findIgnoringLine(dir: string, entry: string): Promise<string | undefined> {
  const output = await runGit(dir, ["check-ignore", "-v", "--", entry]).catch(() => undefined);
  const line = output?.toString("utf8").split("\t", 1)[0];
  return line === undefined || /:\d+:!/.test(line) ? undefined : line;
}

/** Returns whether this run made the folder's first recordings and git is not set up for them yet. */
async function isFirst(dir: string, made: ReadonlySet<string>): Promise<boolean> {
  if (existsSync(join(dir, ATTRIBUTES))) return false;
  const { addresses } = createFolderIndex(dir).survey();
  return addresses.every(({ entry }) => made.has(entry));
}

/** Next to `calls`, so that its paths are valid wherever the cassette folder is in the repository. */
const ATTRIBUTES = ".gitattributes";

/** Unless `merge` is off, git merges recordings line by line. */
const LINES = [
  "# Recordings of LLM calls, as tapedeck git setup wrote it. Git keeps every byte, reviews fold the files,",
  "# and of two branches' replies one is kept whole: no line of one gets into the other (tapedeck git resolve).",
  "calls/** -text -merge linguist-generated",
  "blobs/** -text -diff -merge linguist-generated",
];

/**
 * Appends the block unless it exists. Resolves to whether it was added.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses, or a link is in the file's place
 */
async function addAttributes(dir: string): Promise<boolean> {
  const path = join(dir, ATTRIBUTES);
  const read = readText(path, { most: READ_LIMITS.config });
  const before = await runStorageTask(dir, () => read.catch(recoverFromCodes(GONE, "")));
  if (before.replaceAll("\r\n", "\n").includes(LINES.slice(2).join("\n"))) return false;
  const gap = before === "" ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const text = `${before}${gap}${LINES.join("\n")}\n`;
  await runStorageTask(dir, () => replaceWhole(path, text));
  return true;
}
