import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/main.ts";
import { tapedeckProcess } from "./a-process.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

it("wrong usage ends with 2, what is wrong and how it is right, as the page has it", async () => {
  const page = join(import.meta.dirname, "usage.txt");
  const commands = readFileSync(page, "utf8").match(/^\$ tapedeck.*/gm) ?? [];
  const answers: string[] = [];
  for (const command of commands) {
    const [, , ...words] = command.match(/"[^"]*"|\S+/g) ?? [];
    const args = words.map((word) => word.replaceAll('"', ""));
    const cwd = aProject();
    const { code, stdout, stderr } = await tapedeck(args, { cwd });
    expect([command, code, stdout]).toEqual([command, 2, ""]);
    answers.push(command, ...stderr.replaceAll(cwd, "FOLDER").trimEnd().split("\n").slice(-2), "");
  }

  expect(commands).toHaveLength(51);
  // `vitest FILE -u` writes the answers anew, below each command.
  await expect(answers.join("\n")).toMatchFileSnapshot(page);
});

describe("help and version", () => {
  it("lists every command, on standard output", async () => {
    const { code, stdout, stderr } = await tapedeck(["--help"], { cwd: aProject() });

    expect([code, stderr]).toEqual([0, ""]);
    const listed = [...stdout.matchAll(/^ {2}([a-z][\w-]*) /gm)].map(([, name]) => name);
    expect(listed).toEqual(Object.keys(COMMANDS));
  });

  it("leaves --help behind -- to the command that is run", async () => {
    const command = [process.execPath, "-e", "console.log(...process.argv.slice(1))", "--", "--help"];

    const { stdout } = await tapedeck(["run", "--", ...command], { cwd: aProject() });

    expect(stdout).toBe("--help\n");
  });

  it("prints the version of the package", async () => {
    const { code, stdout } = await tapedeckProcess(["--version"], { cwd: aProject() });

    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect([code, stdout]).toEqual([0, `${manifest.version}\n`]);
  });
});

describe("folders", () => {
  it.each(["list", "check", "prune"])("%s fails on a named folder that does not exist", async (command) => {
    const { code, stderr } = await tapedeck([command, "--dir", "nowhere"], { cwd: aProject() });

    expect(code).toBe(1);
    expect(stderr).toMatch(/nowhere cannot be used: it does not exist/);
  });

  it("a project without recordings is empty, and that is reported", async () => {
    const cwd = aProject();

    const list = await tapedeck(["list", "--json"], { cwd });
    const check = await tapedeck(["check"], { cwd });

    expect([list.code, JSON.parse(list.stdout), check.code]).toEqual([0, [], 0]);
    expect(list.stderr).toContain(".tapedeck does not exist");
  });

  it.each(["list", "check", "serve", "serve --mode record"])(
    "a file in the folder's place stops %s",
    async (command) => {
      const cwd = aProject();
      writeFileSync(join(cwd, ".tapedeck"), "");

      const { code, stdout, stderr } = await tapedeck(command.split(" "), { cwd });

      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/\.tapedeck cannot be used: it is not a folder/);
    },
  );

  it.each(["record", "refresh"])(
    "a file on the way to the folder stops %s mode before the first call",
    async (mode) => {
      const cwd = aProject({ file: "" });

      const { code, stdout, stderr } = await tapedeck(["serve", "--mode", mode, "--dir", "file/tapes"], {
        cwd,
      });

      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/file\/tapes cannot be used: it is not a folder/);
    },
  );

  it.skipIf(!existsSync("/proc/self"))(
    "a folder that cannot be written stops record mode before the first call, and not strict mode (needs Linux)",
    async () => {
      const cwd = aProject();

      const record = await tapedeck(["run", "--mode", "record", "--dir", "/proc/tapes", "--", "true"], {
        cwd,
      });
      const strict = await tapedeck(["run", "--dir", "/proc/tapes", "--", "true"], { cwd });

      expect([record.code, strict.code]).toEqual([1, 0]);
      expect(record.stderr).toMatch(/\/proc\/tapes cannot be used: \/proc cannot be written/);
      expect(record.stderr).toMatch(/--dir/);
    },
  );

  it("leaves no trace of having tried to write", async () => {
    const cwd = aProject();

    await tapedeck(["run", "--mode", "record", "--", process.execPath, "-e", "0"], { cwd });

    expect(readdirSync(cwd)).toEqual([]);
  });
});
