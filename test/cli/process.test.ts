import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { NAMED_PATTERNS } from "../../src/core/match/rules/named-patterns.ts";
import { worksWith } from "../support/a-disk.ts";
import { finished, start, tapedeckProcess } from "./a-process.ts";
import { aRecordedProject } from "./recordings.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

/** A smoke test of the real process: other tests check details, in this process. */
it.each([
  [["list"], 0],
  [["show", "ENTRY"], 0],
  [["check"], 0],
  [["prune", "--dry-run"], 0],
  [["import", "exported.har"], 0],
  [["export", "--to", "har"], 0],
  [["nothing"], 2],
] as const)(
  "%j as a process has the exit code and the output of a run in this process",
  async (words, code) => {
    const { cwd, dir, entries } = await aRecordedProject([{ text: "Say hi" }]);
    await tapedeck(["export", "--to", "har", "--out", "exported.har"], { cwd });
    const args = words.map((word) => word.replace("ENTRY", entries[0] ?? ""));

    const here = await tapedeck(args, { cwd });
    const there = await tapedeckProcess(args, { cwd });

    expect(readFileSync(join(dir, entries[0] ?? ""), "utf8")).toContain("Say hi");
    expect([here.code, there.code]).toEqual([code, code]);
    expect(here.stdout + here.stderr).not.toBe("");
    expect([there.stdout, there.stderr]).toEqual([here.stdout, here.stderr]);
  },
);

it("each named pattern works in the program as it ships, with its words in any language", async () => {
  const rules = Object.keys(NAMED_PATTERNS).map((replace) => ({ replace }));
  const cwd = aProject({ "tapedeck.jsonc": JSON.stringify({ normalize: rules }) });

  const { code, stdout, stderr } = await tapedeckProcess(["check"], { cwd });

  expect(stdout + stderr).not.toContain("cannot be used");
  expect(code).toBe(0);
});

const NAMELESS =
  "setpriv --reuid=54321 --clear-groups --inh-caps=+dac_override --ambient-caps=+dac_override env -u HOME";

it.skipIf(!worksWith([...NAMELESS.split(" "), "true"]))(
  "a user without a name and a home folder runs a command, as in containers (needs setpriv and to be root)",
  async () => {
    const args = ["run", "--", process.execPath, "-e", ""];

    const { code, stderr } = await tapedeckProcess(args, { cwd: aProject(), under: NAMELESS.split(" ") });

    expect(stderr).toContain("0 replayed");
    expect(code).toBe(0);
  },
);

it.skipIf(!existsSync("/dev/full"))(
  "output that cannot be written is an error (needs /dev/full)",
  async () => {
    const under = ["sh", "-c", 'exec "$@" > /dev/full', "sh"];

    const { code, stderr } = await tapedeckProcess(["list", "--json"], { cwd: aProject(), under });

    expect(stderr).toContain("error: The output cannot be written: ENOSPC");
    expect(stderr).not.toContain("    at ");
    expect(code).toBe(1);
  },
);

it.skipIf(process.platform === "win32")(
  "a run under npx ends when npx passes SIGTERM to its shell (POSIX)",
  async () => {
    const shell = start(
      ["run", "--", process.execPath, "-e", "console.log('started'); setInterval(() => {}, 1_000)"],
      {
        cwd: aProject(),
        env: { npm_lifecycle_script: "'tapedeck'" },
        under: ["sh", "-c", '"$@"; true', "sh"], // with a second command, no shell becomes the program itself
      },
    );
    const ended = finished(shell); // when all of its processes have closed their output
    if (shell.stdout) await once(shell.stdout, "data");
    shell.kill("SIGTERM");

    expect((await ended).stderr).toContain("0 replayed");
  },
);
