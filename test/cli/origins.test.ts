import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { missing, because, python } from "../runners/support/python.ts";
import { anEcho } from "../support/an-echo.ts";
import { tapedeckProcess } from "./a-process.ts";
import { aProject } from "./tapedeck.ts";

const PROGRAMS = join(rootDir, "test/fixtures/origins/programs");
const hasFaketime = spawnSync("faketime", ["--version"]).status !== null;
const NEEDS_FAKETIME = hasFaketime ? "" : " (needs faketime on the PATH: install libfaketime)";
const canRenameHost = spawnSync("unshare", ["-u", "true"]).status === 0;

/** A machine on a day, with its own folders, host name, and time zone. */
interface Machine {
  readonly root: string;
  readonly project: string;
  readonly host: string;
  readonly when?: string;
  readonly zone: string;
}

const DESK = { project: "home/ann/src/shop", host: "ann-thinkpad", zone: "Europe/Berlin" };
const CI = { project: "Users/build7/work/1/s/shop", host: "ci-runner-42", zone: "America/New_York" };

interface Run {
  readonly args: readonly string[];
  readonly mode: "record" | "strict";
  readonly upstream?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command on a machine with Tapedeck. */
async function runOn({ root, project, host, when, zone }: Machine, { args, mode, upstream, env = {} }: Run) {
  const [top = "", user = ""] = project.split("/");
  mkdirSync(join(root, "tmp"), { recursive: true });
  const underHost = canRenameHost ? ["unshare", "-u", "sh", "-c", `hostname ${host}; exec "$@"`, "sh"] : [];
  const upstreams = upstream === undefined ? [] : ["--upstream", `openai=${upstream}`];
  const { stdout, stderr } = await tapedeckProcess(["run", "--mode", mode, ...upstreams, "--", ...args], {
    cwd: join(root, project),
    env: {
      HOME: join(root, top, user),
      TMPDIR: join(root, "tmp"),
      TZ: zone,
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      ...env,
    },
    under: [...underHost, "faketime", "-f", `@${when}`],
  });
  const output = stdout + stderr;
  const [counts = ""] = /^\d+ replayed · .*$/m.exec(output) ?? [];
  return { output, counts };
}

/** Records a command on one machine, and repeats it without a provider on another one, on another day. */
async function runTwice(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const upstream = await anEcho();
  const [desk, ci] = [DESK, CI].map((place) => {
    const root = aProject();
    cpSync(PROGRAMS, join(root, place.project), { recursive: true });
    mkdirSync(join(root, place.project, "node_modules"));
    symlinkSync(join(rootDir, "node_modules/nanoid"), join(root, place.project, "node_modules/nanoid"));
    return { ...place, root };
  }) as [Machine, Machine];
  const recorded = await runOn(
    { ...desk, when: "2026-11-27 10:14:09" },
    { args, mode: "record", upstream, env },
  );
  cpSync(join(desk.root, desk.project, ".tapedeck"), join(ci.root, ci.project, ".tapedeck"), {
    recursive: true,
  });
  const repeated = await runOn({ ...ci, when: "2027-02-03 22:47:51" }, { args, mode: "strict", env });
  return { recorded, repeated };
}

it.skipIf(!hasFaketime)(
  `tests in Node ask the same on another day, in another folder, and on another host${NEEDS_FAKETIME}`,
  async () => {
    const { recorded, repeated } = await runTwice([process.execPath, "--test", "calls.test.mjs"]);

    expect(repeated.output).not.toContain("not ok");
    expect(recorded.counts).toMatch(/^0 replayed · 43 recorded /);
    expect(repeated.counts).toBe("43 replayed · 0 missing · 0 sent");
  },
);

it.skipIf(!hasFaketime || missing !== undefined)(
  `tests in Python ask the same on another day, in another folder, and on another host${because}${NEEDS_FAKETIME}`,
  async () => {
    const env = { PYTHONDONTWRITEBYTECODE: "1" };
    const command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_calls.py"];
    const { recorded, repeated } = await runTwice(command, env);

    expect(repeated.output).not.toContain("FAILED");
    expect(recorded.counts).toMatch(/^0 replayed · 40 recorded /);
    expect(repeated.counts).toBe("40 replayed · 0 missing · 0 sent");
  },
);

it.skipIf(!hasFaketime)(
  `a script whose modules import the sources of chance asks the same again${NEEDS_FAKETIME}`,
  async () => {
    const { recorded, repeated } = await runTwice([process.execPath, "script.mjs"]);

    expect(recorded.counts).toMatch(/^0 replayed · 3 recorded /);
    expect(repeated.counts).toBe("3 replayed · 0 missing · 0 sent");
  },
);

const FREEZE = { TAPEDECK_FREEZE: "clock,random,uuid" };

it.skipIf(!hasFaketime)(
  `values derived from the clock and chance repeat in Node with "freeze", and waiting takes time${NEEDS_FAKETIME}`,
  async () => {
    const { recorded, repeated } = await runTwice([process.execPath, "--test", "frozen.test.mjs"], FREEZE);

    expect(repeated.output).not.toContain("not ok");
    expect(recorded.counts).toMatch(/^0 replayed · 8 recorded /);
    expect(repeated.counts).toBe("8 replayed · 0 missing · 0 sent");
  },
);

it.skipIf(!hasFaketime || missing !== undefined)(
  `values derived from chance repeat in Python with "freeze"${because}${NEEDS_FAKETIME}`,
  async () => {
    const env = { PYTHONDONTWRITEBYTECODE: "1", TAPEDECK_FREEZE: "random,uuid" };
    const command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_frozen.py"];
    const { recorded, repeated } = await runTwice(command, env);

    expect(repeated.output).not.toContain("FAILED");
    expect(recorded.counts).toMatch(/^0 replayed · 6 recorded /);
    expect(repeated.counts).toBe("6 replayed · 0 missing · 0 sent");
  },
);
