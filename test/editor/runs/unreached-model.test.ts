import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createUnreachedWatch, SETTLED_MS } from "../../../src/editor/runs/unreached-model.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function aWatch({ calledAt = undefined as number | undefined } = {}) {
  const said: (readonly string[])[] = [];
  const window = { requests: 7 };
  const watch = createUnreachedWatch({
    requests: () => window.requests,
    lastCallAt: () => calledAt,
    unreached: (runners) => said.push(runners),
  });
  return { watch, said, window };
}

/** A process that lives until it is ended. */
function aProcess(runner: string) {
  const ending = new AbortController();
  const ended = new Promise<void>((resolve) => ending.signal.addEventListener("abort", () => resolve()));
  return { runner, age: 5_000, ended, end: () => ending.abort() };
}

const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(SETTLED_MS);

it("tests that ended without a call are reported once, with all workers and runners of the run", async () => {
  const { watch, said } = aWatch();
  const [first, second, python] = [aProcess("vitest"), aProcess("vitest"), aProcess("pytest")];

  watch.addProcess(first);
  watch.addProcess(python);
  first.end();
  python.end();
  await vi.advanceTimersByTimeAsync(SETTLED_MS - 1);
  watch.addProcess(second);
  await settled();
  expect(said).toEqual([]);
  second.end();
  await settled();

  expect(said).toEqual([["vitest", "pytest"]]);
});

it("a run ends with its last process: until then nothing is reported, however long it takes", async () => {
  const { watch, said } = aWatch();
  const process = aProcess("jest");

  watch.addProcess(process);
  await vi.advanceTimersByTimeAsync(3_600_000);

  expect(said).toEqual([]);
});

it("one call that any worker makes, also in a later process or before the first test, is a call of the run", async () => {
  const during = aWatch();
  const before = aWatch({ calledAt: Date.now() - 3_000 });
  const earlier = aWatch({ calledAt: Date.now() - 6_000 });
  const [silent, calling, late] = [aProcess("mocha"), aProcess("mocha"), aProcess("mocha")];

  before.watch.addProcess(late);
  earlier.watch.addProcess(late);
  during.watch.addProcess(silent);
  silent.end();
  await vi.advanceTimersByTimeAsync(1_000);
  during.watch.addProcess(calling);
  during.window.requests += 1;
  calling.end();
  late.end();
  await settled();

  expect([during.said, before.said, earlier.said]).toEqual([[], [], [["mocha"]]]);
});
