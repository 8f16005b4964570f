import type { Call } from "../../../src/core/call/call.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { countCall } from "../../../src/core/answer/runs.ts";
import { SessionModel } from "../../../src/editor/session/session-model.ts";
import { SessionRuns } from "../../../src/editor/session/session-runs.ts";
import { followCommands, looksLikeTests, SILENCE_MS } from "../../../src/editor/session/stretch-model.ts";
import { aCall, keyOf } from "../call-events.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A window with calls from terminals: the run of each call, and the reported tests. */
function aWindow() {
  const told: string[] = [];
  let requests = 0;
  const model = new SessionModel();
  const runs = new SessionRuns({
    mode: "strict",
    model,
    tellsStart: () => true,
    changed: () => undefined,
    onEnd: (_, { passed, events }) => {
      if (passed !== undefined) told.push(`${passed ? "passed" : "failed"} with ${events.length} recorded`);
    },
    onRunEnd: () => undefined,
  });
  const arrives = (prompt: string): number => {
    requests += 1;
    return countCall({ run: runs.folder } as Call, keyOf(prompt)).ordinal;
  };
  const isAnswered = (prompt: string, ms = 0): void => {
    const event = aCall(prompt, { outcome: "recorded", at: Date.now() - ms, ms });
    model.addCall(runs.assignCall(event));
    model.requests = requests;
  };
  const commands = followCommands({
    state: model,
    lifecycle: { status: { kind: "ready" } },
    runs: { stretch: runs.stretch, noteUnreached: (what) => told.push(`${what} did not call`) },
  });
  const call = (prompt: string): number => {
    const ordinal = arrives(prompt);
    isAnswered(prompt);
    return ordinal;
  };
  const shown = (): number => model.counts.recorded ?? 0;
  return { ...commands, runs, state: model, told, call, arrives, isAnswered, shown };
}

const wait = (ms: number): void => void vi.advanceTimersByTime(ms);

/**
 * Plays a terminal: "a" is a call, "a…" one whose answer comes with "a!" a second later, "+300" a wait in milliseconds,
 * "+S" one of `SILENCE_MS`, ">one:npm_ci" a command that starts, "<one=1" its end with this exit code, and "?" a look at
 * the calls that are shown. Returns the number of each call among its equals, and what was seen.
 */
function play(script: string): { readonly seen: string; readonly told: readonly string[] } {
  const { started, ended, arrives, isAnswered, call, shown, told } = aWindow();
  const seen: string[] = [];
  for (const step of script.split(" ")) {
    const [, sign = "", name = "", , rest = ""] = /^([+<>?]?)([^:=…!]*)([:=…!]?)(.*)$/u.exec(step) ?? [];
    if (sign === "+") wait(name.startsWith("S") ? SILENCE_MS + Number(name.slice(1)) : Number(name));
    else if (sign === ">") started(name, rest === "" ? "npm test" : rest.replaceAll("_", " "));
    else if (sign === "<") ended(name, ...(rest === "none" ? [] : [Number(rest)]));
    else if (sign === "?") seen.push(`shown ${shown()}`);
    else if (step.endsWith("!")) isAnswered(name, 1_000);
    else seen.push(String(step.endsWith("…") ? arrives(name) : call(name)));
  }
  return { seen: seen.join(" "), told };
}

it.each<readonly [what: string, script: string, seen: string, ...told: string[]]>([
  [
    "a command's calls are the first of its run, also those that arrive before it is reported",
    "a +300 >one a b +300 <one a +300 >two a b +300 <two a +300 >three a b +300 <three ?",
    "1 2 1 1 2 1 1 2 1 shown 3",
    ...Array.from({ length: 3 }, () => "passed with 3 recorded"),
  ],
  [
    "the calls of a run are shown until the next one calls",
    ">one a b <one ? c ? >two ? +3000 <two >three:ls ?",
    "1 1 shown 2 1 shown 1 shown 1 shown 1",
    "passed with 2 recorded",
    "passed with 1 recorded",
  ],
  [
    "a call that still waits for its answer when its command is reported keeps its place",
    ">before a <before a… +200 >one +800 a! a",
    "1 1 2",
    "passed with 1 recorded",
  ],
  ["calls long before the start belong to another run", "a +2500 >one a", "1 1"],
  [
    "a server that runs beside the tests, and does not call, keeps no run together",
    ">server:npm_run_dev +S1000 a +100 >one a +100 <one a +100 >two a +100 <two",
    "1 2 1 2",
  ],
  [
    "two that begin together are one run until both have ended",
    ">one >two:pytest a +4000 a <two=1 a <one a",
    "1 2 3 1",
  ],
  [
    "a command beside tests that are calling is part of their run",
    ">one a +S-3000 b +4000 >two:ls a <two a",
    "1 1 2 3",
  ],
  [
    "tests are reported as passed or failed, with their new recordings",
    "a +100 >one b <one a +100 >two <two=1",
    "1 1 1",
    "passed with 2 recorded",
    "failed with 1 recorded",
  ],
  [
    "tests without calls are reported, and not those that called before their report",
    "before +10000 >one <one a +100 >two:npx_vitest_run <two=none >three:ls <three",
    "1 1",
    "npm test did not call",
  ],
  ["a minute without calls ends an unreported run", "a +S-1 a +S1 a", "1 2 1"],
])("%s", (_, script, seen, ...told) => {
  expect(play(script)).toEqual({ seen, told });
});

it("tests in a terminal that report to no window are not reported as mocked", () => {
  const { started, ended, runs, state } = aWindow();

  started("terminal", "npx vitest run");
  ended("terminal", 0);
  runs.noteUnreached("npx vitest run", "vitest");
  const unreported = state.unreachedWhy;
  runs.noteReport({ kind: "tests", run: runs.folder, runner: "vitest" });
  runs.noteUnreached("npx vitest run", "vitest");

  expect(unreported).toContain("its terminal belongs to another window");
  // The cause is not known then, and nothing is claimed.
  expect(state.unreachedWhy).toBeUndefined();
});

it.each([
  ["npm test", true],
  ["pnpm run test:unit -- --watch", true],
  ["npx vitest run tests/chat.test.ts", true],
  [".venv/bin/pytest", true],
  ["node --import tsx --test tests/", true],
  ["cd packages/a && npx jest", true],
  ["cat vitest.config.ts", false],
  ["cd test", false],
  ["npm install jest-cli", false],
])("a command line that runs tests is recognized: %s", (line, expected) => {
  expect(looksLikeTests(line)).toBe(expected);
});
