import { localize } from "../../core/base/localize.ts";
import process from "node:process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve, join } from "node:path";
import { readText } from "../../storage/folder/read-file.ts";
import { addAttributes, ATTRIBUTES, isInRepository } from "../../storage/git-attributes.ts";
import type { NamedDir } from "../options/dir.ts";
import type { Terminal } from "../terminal.ts";
import { runGit } from "./run-git.ts";
import { existsSync } from "node:fs";
import { createFolderIndex } from "../../storage/folder/folder-store.ts";
import type { RunEvent } from "../report/run-report.ts";

/** Has git keep recordings byte for byte, fold them in reviews and never mix two of them, in every clone. */
export async function setUpAttributes({ dir, shownDir }: NamedDir, terminal: Terminal): Promise<void> {
  await mkdir(dir, { recursive: true });
  const isAdded = await addAttributes(dir);
  const file = `${shownDir}/${ATTRIBUTES}`;
  terminal.err(
    isAdded ? localize("Wrote {0}. Commit this file.\n", file) : localize("{0} is already set up.\n", file),
  );
}

/** Configures the merge driver for this clone, because git does not accept driver commands from a repository. */
export async function setUpDriver(dir: string, terminal: Terminal): Promise<void> {
  const ask = async (...args: string[]): Promise<string> =>
    (await runGit(dir, ["rev-parse", ...args])).toString("utf8").replace(/\n$/, "");
  const inside = await ask("--show-prefix");
  const attributes = resolve(dir, await ask("--git-path", "info/attributes"));
  const program = [process.execPath, terminal.program].map(quoteForShell).join(" ");
  await runGit(dir, ["config", "merge.tapedeck.name", "recordings of LLM calls"]);
  await runGit(dir, ["config", "merge.tapedeck.driver", `${program} git resolve --driver %O %A %B %P`]);
  const line = `${patternOf(inside)}calls/** merge=tapedeck`;
  const before = await readText(attributes).catch(() => "");
  if (!before.split(/\r?\n/).includes(line)) {
    await mkdir(dirname(attributes), { recursive: true });
    await writeFile(attributes, `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${line}\n`);
  }
  terminal.err(localize("This clone now resolves conflicts in recordings during merges.\n"));
}

/** Quotes a path as one word for the shell through which git runs a driver. */
export const quoteForShell = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** Returns a gitattributes pattern for a path. Whitespace, which would end it, and wildcards become `?`. */
const patternOf = (path: string): string => `/${path.replaceAll(/[\s*?[\]\\]/g, "?")}`;

/** Names the command that sets git up, after the run that made the first recordings of a folder in a repository. */
export async function offerGitSetup(
  dir: string,
  events: readonly RunEvent[],
  { err }: Pick<Terminal, "err">,
): Promise<void> {
  const made = new Set(events.flatMap(({ outcome, entry }) => (outcome === "recorded" ? (entry ?? []) : [])));
  if (made.size === 0 || !isInRepository(dir) || !(await isFirst(dir, made))) return;
  err(
    localize(
      "To fold recordings in reviews and merge branches without conflicts, run: tapedeck git setup --driver\n",
    ),
  );
}

/** Returns whether this run made the folder's first recordings and git is not set up for them yet. */
async function isFirst(dir: string, made: ReadonlySet<string>): Promise<boolean> {
  if (existsSync(join(dir, ATTRIBUTES))) return false;
  const { addresses } = createFolderIndex(dir).survey();
  return addresses.every(({ entry }) => made.has(entry));
}
