import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { readText } from "../../storage/folder/read-file.ts";
import { addAttributes, ATTRIBUTES } from "../../storage/git-attributes.ts";
import type { NamedDir } from "../options/dir.ts";
import type { Terminal } from "../terminal.ts";
import { runGit } from "./run-git.ts";

/** Has git keep recordings byte for byte, fold them in reviews and never mix two of them, in every clone. */
export async function setUpAttributes({ dir, shownDir }: NamedDir, terminal: Terminal): Promise<void> {
  await mkdir(dir, { recursive: true });
  const isAdded = await addAttributes(dir);
  const file = `${shownDir}/${ATTRIBUTES}`;
  terminal.err(isAdded ? `Wrote ${file}: commit it.\n` : `${file} says it already.\n`);
}

/** What a driver runs is for each user to allow: git takes it from no repository. */
export async function setUpDriver(dir: string, terminal: Terminal): Promise<void> {
  const ask = async (...args: string[]): Promise<string> =>
    (await runGit(dir, ["rev-parse", ...args])).toString("utf8").replace(/\n$/, "");
  const inside = await ask("--show-prefix");
  const attributes = resolve(dir, await ask("--git-path", "info/attributes"));
  const program = [process.execPath, terminal.program].map(quoteForShell).join(" ");
  await runGit(dir, ["config", "merge.tapedeck.name", "recordings of LLM calls"]);
  await runGit(dir, ["config", "merge.tapedeck.driver", `${program} resolve --driver %O %A %B %P`]);
  const line = `${patternOf(inside)}calls/** merge=tapedeck`;
  const before = await readText(attributes).catch(() => "");
  if (!before.split(/\r?\n/).includes(line)) {
    await mkdir(dirname(attributes), { recursive: true });
    await writeFile(attributes, `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${line}\n`);
  }
  terminal.err("This clone settles conflicts of recordings while it merges.\n");
}

/** Whether this clone, or its user, has a driver. */
export async function hasDriver(dir: string): Promise<boolean> {
  return runGit(dir, ["config", "--get", "merge.tapedeck.driver"]).then(
    () => true,
    () => false,
  );
}

/** For the shell by which git runs a driver. */
const quoteForShell = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`;

/** A path as a pattern that means it: blanks end one, and some characters stand for others. */
const patternOf = (path: string): string => `/${path.replaceAll(/[\s*?[\]\\]/g, "?")}`;
