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

it("a command's calls are the first of its run, also those that arrive before it is reported", () => {
  const { started, ended, call, shown } = aWindow();
  const ordinals: number[][] = [];

  for (const command of ["one", "two", "three"]) {
    const early = call("a");
    wait(300);
    started(command, "npm test");
    ordinals.push([early, call("a"), call("b")]);
    wait(300);
    ended(command, 0);
  }

  expect(ordinals).toEqual([
    [1, 2, 1],
    [1, 2, 1],
    [1, 2, 1],
  ]);
  expect(shown()).toBe(3);
});

it("the calls of a run are shown until the next one calls", () => {
  const { started, ended, call, shown } = aWindow();

  started("one", "npm test");
  call("a");
  call("b");
  ended("one", 0);
  const after = shown();
  call("c");
  const next = shown();
  started("two", "npm test");
  const joined = shown();
  wait(3_000);
  ended("two", 0);
  started("three", "ls");

  expect([after, next, joined, shown()]).toEqual([2, 1, 1, 1]);
});

it("a call that still waits for its answer when its command is reported keeps its place", () => {
  const { started, ended, arrives, isAnswered, call } = aWindow();
  started("before", "npm test");
  call("a");
  ended("before", 0);

  const first = arrives("a");
  wait(200);
  started("one", "npm test");
  wait(800);
  isAnswered("a", 1_000);
  const second = call("a");

  expect([first, second]).toEqual([1, 2]);
});

it("calls long before the start belong to another run", () => {
  const { started, call } = aWindow();
  call("a");
  wait(2_500);

  started("one", "npm test");

  expect(call("a")).toBe(1);
});

it("a server that runs beside the tests, and does not call, keeps no run together", () => {
  const { started, ended, call } = aWindow();
  started("server", "npm run dev");
  wait(SILENCE_MS + 1_000);
  const ordinals: number[] = [];

  for (const command of ["one", "two"]) {
    ordinals.push(call("a"));
    wait(100);
    started(command, "npm test");
    ordinals.push(call("a"));
    wait(100);
    ended(command, 0);
  }

  expect(ordinals).toEqual([1, 2, 1, 2]);
});

it("two that begin together are one run until both have ended", () => {
  const { started, ended, call, told } = aWindow();
  started("one", "npm test");
  started("two", "pytest");
  const ordinals = [call("a")];
  wait(4_000);
  ordinals.push(call("a"));
  ended("two", 1);
  ordinals.push(call("a"));
  ended("one", 0);
  ordinals.push(call("a"));

  expect(ordinals).toEqual([1, 2, 3, 1]);
  expect(told).toEqual([]);
});

it("a command beside tests that are calling is part of their run", () => {
  const { started, ended, call } = aWindow();
  started("one", "npm test");
  call("a");
  wait(SILENCE_MS - 3_000);
  call("b");
  wait(4_000);

  started("two", "ls");
  const during = call("a");
  ended("two", 0);

  expect([during, call("a")]).toEqual([2, 3]);
});

it("tests are reported as passed or failed, with their new recordings", () => {
  const { started, ended, call, told } = aWindow();
  call("a");
  wait(100);
  started("one", "npm test");
  call("b");
  ended("one", 0);
  call("a");
  wait(100);
  started("two", "npm test");
  ended("two", 1);

  expect(told).toEqual(["passed with 2 recorded", "failed with 1 recorded"]);
});

it("tests without calls are reported, and not those that called before their report", () => {
  const { started, ended, call, told } = aWindow();
  call("before");
  wait(10_000);
  started("one", "npm test");
  ended("one", 0);
  call("a");
  wait(100);
  started("two", "npx vitest run");
  ended("two");
  started("three", "ls");
  ended("three", 0);

  expect(told).toEqual(["npm test did not call"]);
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

it("a minute without calls ends an unreported run", () => {
  const { call } = aWindow();
  const ordinals = [call("a")];
  wait(SILENCE_MS - 1);
  ordinals.push(call("a"));
  wait(SILENCE_MS + 1);
  ordinals.push(call("a"));

  expect(ordinals).toEqual([1, 2, 1]);
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
