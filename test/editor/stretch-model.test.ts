import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { beginsStretch, createQuiet, looksLikeTests, QUIET_MS } from "../../src/editor/stretch-model.ts";

describe("what starts begins another run", () => {
  it.each([
    ["nothing else is under way", { now: 10_000, lastCallAt: 9_999, running: 0 }, true],
    ["nothing has called yet", { now: 10_000, lastCallAt: undefined, running: 2 }, true],
    ["what is under way has not called for a while", { now: 60_000, lastCallAt: 9_999, running: 1 }, true],
    ["the clock was set back since the last call", { now: 1_000, lastCallAt: 9_000, running: 1 }, true],
    [
      "not while something else is in the middle of calling",
      { now: 10_000, lastCallAt: 9_000, running: 1 },
      false,
    ],
  ])("%s", (_, started, begins) => {
    expect(beginsStretch(started)).toBe(begins);
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
    const quiet = createQuiet(() => (begun += 1));

    const first = quiet.called();
    vi.advanceTimersByTime(QUIET_MS - 1);
    const second = quiet.called();
    vi.advanceTimersByTime(QUIET_MS + 1);
    const begunBeforeNext = begun;
    const third = quiet.called();
    vi.advanceTimersByTime(QUIET_MS - 1);
    const fourth = quiet.called();

    expect([first, second, third, fourth]).toEqual([false, false, true, false]);
    expect(begunBeforeNext).toBe(1);
    expect(begun).toBe(1);
    quiet.dispose();
  });

  it("of a sleep, in which timers stand still, counts as soon as the machine is awake for a moment", () => {
    let begun = 0;
    const quiet = createQuiet(() => (begun += 1));
    quiet.called();

    vi.setSystemTime(Date.now() + 8 * 3_600_000);
    vi.advanceTimersByTime(5_000);

    expect(begun).toBe(1);
    expect(quiet.called()).toBe(true);
    quiet.dispose();
  });

  it("is told by the ticks where the clock was set back", () => {
    let begun = 0;
    const quiet = createQuiet(() => (begun += 1));
    quiet.called();

    vi.setSystemTime(Date.now() - 3_600_000);
    vi.advanceTimersByTime(QUIET_MS);

    expect(begun).toBe(1);
    quiet.dispose();
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
