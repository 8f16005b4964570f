import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { missing, because, python } from "../runners/support/python.ts";
import { anEcho } from "../support/an-echo.ts";
import { casesOf } from "../support/cases.ts";
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
  readonly temp: string;
  readonly host: string;
  readonly when?: string;
  readonly zone: string;
}

const DESK = { project: "home/ann/src/shop", temp: "tmp", host: "ann-thinkpad", zone: "Europe/Berlin" };
const CI = {
  project: "Users/build7/work/1/s/shop",
  temp: "private/tmp",
  host: "ci-runner-42",
  zone: "America/New_York",
};

interface Run {
  readonly args: readonly string[];
  readonly mode: "record" | "strict";
  readonly upstream?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a command on a machine with Tapedeck. */
async function runOn(
  { root, project, temp, host, when, zone }: Machine,
  { args, mode, upstream, env = {} }: Run,
) {
  const [top = "", user = ""] = project.split("/");
  mkdirSync(join(root, temp), { recursive: true });
  // As on macOS, whose temporary folder is behind a link.
  if (temp !== "tmp" && !existsSync(join(root, "tmp"))) symlinkSync(temp, join(root, "tmp"));
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

const PYTHON = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
const WITHOUT_PYC = { PYTHONDONTWRITEBYTECODE: "1" };

interface Suite {
  readonly title: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly calls: number;
}

const IN_NODE: readonly Suite[] = [
  { title: "tests in Node", args: [process.execPath, "--test", "calls.test.mjs"], calls: 44 },
  {
    title: 'tests in Node with a frozen clock ("freeze"), where waiting takes time,',
    args: [process.execPath, "--test", "frozen.test.mjs"],
    env: { TAPEDECK_FREEZE: "clock,random,uuid" },
    calls: 8,
  },
  {
    title: "scripts whose modules import the sources of chance",
    args: [process.execPath, "script.mjs"],
    calls: 3,
  },
];
const IN_PYTHON: readonly Suite[] = [
  { title: "tests in Python", args: [python, ...PYTHON, "test_calls.py"], env: WITHOUT_PYC, calls: 41 },
  {
    title: 'tests in Python with frozen chance ("freeze")',
    args: [python, ...PYTHON, "test_frozen.py"],
    env: { ...WITHOUT_PYC, TAPEDECK_FREEZE: "random,uuid" },
    calls: 6,
  },
];

/** The first two have values of every kind, and frozen ones. The others run with all cases. */
const some = (suites: readonly Suite[]): (readonly [string, Suite])[] =>
  casesOf({ quick: suites.slice(0, 2), long: suites }).map((suite) => [suite.title, suite]);

async function expectSameCalls(_: string, { args, env, calls }: Suite): Promise<void> {
  const { recorded, repeated } = await runTwice(args, env);

  expect(repeated.output).not.toMatch(/not ok|FAILED/);
  expect(recorded.counts).toMatch(new RegExp(`^0 replayed · ${calls} recorded `));
  expect(repeated.counts).toBe(`${calls} replayed · 0 missing · 0 sent`);
}

describe("on another day, in another folder, and on another host", () => {
  it.skipIf(!hasFaketime).each(some(IN_NODE))(`%s ask the same${NEEDS_FAKETIME}`, expectSameCalls);

  it.skipIf(!hasFaketime || missing !== undefined).each(some(IN_PYTHON))(
    `%s ask the same${because}${NEEDS_FAKETIME}`,
    expectSameCalls,
  );
});

/** Each starts a program without hooks, such as a coding agent, which asks about a folder and an id that the script made. */
const STARTING: readonly (readonly [name: string, run: readonly string[], script: string])[] = [
  [
    "Node",
    [process.execPath, "start.mjs"],
    `import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
const folder = mkdtempSync("/tmp/work-");
execFileSync("node", ["agent.mjs", folder + " " + crypto.randomUUID()], {
  env: { ...process.env, NODE_OPTIONS: "", TAPEDECK_GUARD: "off" },
  stdio: "inherit",
});`,
  ],
  [
    "Python",
    [python, "start.py"],
    `import os, subprocess, tempfile, uuid
folder = tempfile.mkdtemp(prefix="work-")
env = dict(os.environ, NODE_OPTIONS="", TAPEDECK_GUARD="off")
subprocess.run(["node", "agent.mjs", folder + " " + str(uuid.uuid4())], env=env, check=True)`,
  ],
];

const AGENT = `const [, , content] = process.argv;
const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer sk-x" },
  body: JSON.stringify({ model: "gpt-5-mini", messages: [{ role: "user", content }] }),
});
const text = await response.text();
if (!response.ok || !text.includes("About " + content)) throw new Error(text);`;

it.each(casesOf({ quick: STARTING.slice(0, 1), long: STARTING }))(
  "a program that %s starts asks the same with values of the one that started it",
  async (name, run, script) => {
    if (name === "Python" && missing !== undefined) return;
    const cwd = aProject();
    writeFileSync(join(cwd, run[1] ?? ""), script);
    writeFileSync(join(cwd, "agent.mjs"), AGENT);
    const upstream = `openai=${await anEcho()}`;

    const recorded = await tapedeckProcess(
      ["run", "--mode", "record", "--upstream", upstream, "--", ...run],
      { cwd },
    );
    const repeated = await tapedeckProcess(["run", "--", ...run], { cwd });

    expect(recorded.stderr).toContain("0 replayed · 1 recorded");
    expect(repeated.stderr).toContain("1 replayed · 0 missing · 0 sent");
  },
);
