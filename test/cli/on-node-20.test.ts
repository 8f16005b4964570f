import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { aFolder } from "../support/a-folder.ts";
import { program } from "./built-program.ts";
import { plainEnvironment } from "./tapedeck.ts";
import { filesBelow } from "../support/files-below.ts";

/** Node 22.1 and later keep compiled code themselves. */
const keeps = !("enableCompileCache" in module);

it("has only ASCII characters in the files that are read as such", () => {
  const folder = join(dirname(program), "cli");
  const files = filesBelow(folder);

  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((path) => readFileSync(join(folder, path)).some((byte) => byte > 0x7f))).toEqual([]);
});

describe.runIf(keeps)("compiled code that is kept between processes", () => {
  it("is used by the next process, unless the program changed in place", async () => {
    const { copy, tmp, help, change } = aCopy();
    const first = await help();
    const kept = filesBelow(tmp);

    expect(kept.map((path) => path.split("/").at(-1))).toContain("main.cjs.bin");
    expect(await help()).toBe(first);
    expect(filesBelow(tmp)).toEqual(kept);

    change(join(copy, "dist/cli/main.cjs"), "There is no command.", "THERE IS NO COMMAND.");
    expect(first).toContain("There is no command.");
    expect(await help()).toBe(first.replace("There is no command.", "THERE IS NO COMMAND."));
  });

  it("is compiled again if a file is damaged", async () => {
    const { tmp, help } = aCopy();
    const first = await help();
    for (const path of filesBelow(tmp)) damage(join(tmp, path));

    expect(await help()).toBe(first);
  });

  it("is neither read nor written where others can write", async () => {
    const { tmp, help } = aCopy();
    const folder = join(tmp, `tapedeck-compiled-${process.getuid?.()}`);
    mkdirSync(folder);
    chmodSync(folder, 0o777);

    expect(await help()).toContain("There is no command.");
    expect(filesBelow(tmp)).toEqual([]);
  });
});

/** A copy of the program, and a folder for its temporary files. */
function aCopy() {
  const copy = aFolder();
  const tmp = aFolder();
  cpSync(dirname(dirname(program)), copy, { recursive: true });
  const help = async () => {
    const env = { ...plainEnvironment(), TMPDIR: tmp };
    const ended = promisify(execFile)(process.execPath, [join(copy, "dist/cli.js")], { env });
    const { stdout, stderr } = await ended.catch(
      (error: unknown) => error as { stdout: string; stderr: string },
    );
    return stdout + stderr;
  };
  const change = (path: string, from: string, to: string) =>
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(from, to));
  return { copy, tmp, help, change };
}

/** Overwrites the end of a file. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(7, bytes.length - 2000));
}
