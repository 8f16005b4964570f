import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  watchSilence,
  looksLikeTests,
  noteCall,
  SILENCE_MS,
  standingOf,
  type NotedCalls,
} from "../../../src/editor/runs/stretch-model.ts";

function aCallAt(at: number, more: Partial<NotedCalls> = {}): NotedCalls {
  return { at, until: at, requests: 0, ...more };
}

describe("the calls before something starts are", () => {
  it.each([
    ["its own where nothing called", [], 0, "own"],
    ["its own where nothing called, although something runs", [], 2, "own"],
    ["its own where all came a moment ago", [9_900, 9_300, 9_000], 0, "own"],
    ["another's where one came long before, and nothing is under way", [9_900, 4_000], 0, "another"],
    ["another's where what is under way has not called for a while", [2_000], 1, "another"],
    [
      "another's where what is under way had not called for a while before those of a moment ago",
      [9_900, 2_000],
      1,
      "another",
    ],
    ["shared where something else is in the middle of calling", [9_900, 5_000, 1_000], 1, "shared"],
    ["another's where the clock was set back since", [19_000], 1, "another"],
  ])("%s: %j, %i running", (_, times, running, calls) => {
    const noted = times.toReversed().map((at) => aCallAt(at));

    expect(standingOf(noted, 10_000, running).calls).toBe(calls);
  });

  it("shared where a call that takes long was answered just now", () => {
    const noted = [aCallAt(1_000, { until: 8_000 })];

    expect(standingOf(noted, 12_000, 1).calls).toBe("shared");
    expect(standingOf(noted, 13_001, 1).calls).toBe("another");
  });

  it("counted as its own from the first that came a moment ago", () => {
    const noted = [1_000, 8_500, 9_000].map((at, index) => aCallAt(at, { requests: index }));

    expect(standingOf(noted, 10_000, 0).first?.requests).toBe(1);
    expect(standingOf(noted, 20_000, 0).first).toBeUndefined();
  });

  it("told apart whatever their number", () => {
    const noted: NotedCalls[] = [];
    for (let at = 0; at < 600_000; at += 10) noteCall(noted, aCallAt(at));

    expect(noted.length).toBeLessThan(100);
    expect(standingOf(noted, 600_000, 0).calls).toBe("another");
    expect(standingOf(noted, 600_000, 1).calls).toBe("shared");
    expect(standingOf(noted, 606_000, 1).calls).toBe("another");
  });

  it("told apart by the last answer, in whatever order they are answered", () => {
    const noted: NotedCalls[] = [];
    for (const at of [5_000, 1_000, 9_000, 2_000]) noteCall(noted, aCallAt(at, { until: at + 10_000 }));

    expect(noted.map(({ at }) => at)).toEqual([5_000, 9_000]);
    expect(standingOf(noted, 23_000, 1).calls).toBe("shared");
    expect(standingOf(noted, 24_001, 1).calls).toBe("another");
  });
});

describe("a silence", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("begins another run before the next call is counted, and once", () => {
    let begun = 0;
    const silence = watchSilence(() => (begun += 1));

    const first = silence.called();
    vi.advanceTimersByTime(SILENCE_MS - 1);
    const second = silence.called();
    vi.advanceTimersByTime(SILENCE_MS + 1);
    const begunBeforeNext = begun;
    const third = silence.called();
    vi.advanceTimersByTime(SILENCE_MS - 1);
    const fourth = silence.called();

    expect([first, second, third, fourth]).toEqual([false, false, true, false]);
    expect(begunBeforeNext).toBe(1);
    expect(begun).toBe(1);
    silence.dispose();
  });

  it("is there as soon as what called has ended, until a run begins", () => {
    let begun = 0;
    const silence = watchSilence(() => (begun += 1));
    silence.called();

    silence.ended();
    const next = silence.called();
    silence.ended();
    silence.began();
    const ofRun = silence.called();

    expect([next, ofRun]).toEqual([true, false]);
    expect(begun).toBe(2);
    silence.dispose();
  });

  it("of a sleep, in which timers stand still, counts as soon as the machine is awake for a moment", () => {
    let begun = 0;
    const silence = watchSilence(() => (begun += 1));
    silence.called();

    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    vi.advanceTimersByTime(5_000);

    expect(begun).toBe(1);
    expect(silence.called()).toBe(true);
    silence.dispose();
  });

  it("is told by the ticks where the clock was set back", () => {
    let begun = 0;
    const silence = watchSilence(() => (begun += 1));
    silence.called();

    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(SILENCE_MS);

    expect(begun).toBe(1);
    silence.dispose();
  });
});

describe("a command that runs tests", () => {
  it.each([
    "npm test",
    "npm t",
    "npm run test:unit -- --watch",
    "pnpm test",
    "yarn run test",
    "npx vitest run tests/chat.test.ts",
    "python3 -m pytest -q",
    ".venv/bin/pytest",
    "node --import tsx --test tests/",
    "cd packages/a && npx jest",
    "go test ./...",
  ])("is recognised: %s", (line) => {
    expect(looksLikeTests(line)).toBe(true);
  });

  it.each([
    "ls tests",
    "cat vitest.config.ts",
    "test -f x",
    "cd test",
    "git commit -m test",
    "npm install jest-cli",
    "npm run build",
  ])("is not mistaken: %s", (line) => {
    expect(looksLikeTests(line)).toBe(false);
  });
});
