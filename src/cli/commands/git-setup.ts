import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import process from "node:process";
import { readText } from "../../storage/folder/read-file.ts";
import { addAttributes, ATTRIBUTES } from "../../storage/git-attributes.ts";
import { expectNoPositionals, readArguments } from "../options/arguments.ts";
import { DIR_HELP, openFolder } from "../options/read-options.ts";
import { EXIT, type Command } from "../command.ts";
import { runGit } from "../git/run-git.ts";
import type { Terminal } from "../terminal.ts";

/** Tells git what recordings are. */
export const gitSetup: Command = {
  name: "git-setup",
  summary: "Have git keep recordings byte for byte, fold them in reviews and never mix two of them.",
  synopsis: "git-setup [--dir D] [--driver]",
  options: [
    DIR_HELP,
    ["--driver", "also have this clone settle conflicts while it merges (git config; never committed)"],
  ],
  async execute(argv, terminal) {
    const args = readArguments("git-setup", argv, { dir: "value", driver: "flag" });
    expectNoPositionals(args);
    const { deck, dir, shownDir } = await openFolder(args, terminal);
    await deck.close();
    await mkdir(dir, { recursive: true });
    const isAdded = await addAttributes(dir);
    const file = `${shownDir}/${ATTRIBUTES}`;
    terminal.err(isAdded ? `Wrote ${file}: commit it.\n` : `${file} says it already.\n`);
    if (args.has("driver")) await setUpDriver(dir, terminal);
    return EXIT.ok;
  },
};

/** What a driver runs is for each user to allow: git takes it from no repository. */
async function setUpDriver(dir: string, terminal: Terminal): Promise<void> {
  const ask = async (...args: string[]): Promise<string> =>
    (await runGit(dir, ["rev-parse", ...args])).toString("utf8").replace(/\n$/, "");
  const inside = await ask("--show-prefix");
  const attributes = resolve(dir, await ask("--git-path", "info/attributes"));
  const program = [process.execPath, terminal.program].map(quoted).join(" ");
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

/** For the shell by which git runs a driver. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

/** A path as a pattern that means it: blanks end one, and some characters stand for others. */
function patternOf(path: string): string {
  return `/${path.replaceAll(/[\s*?[\]\\]/g, "?")}`;
}
