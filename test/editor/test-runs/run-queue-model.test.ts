import { expect, test } from "vitest";
import { createRunQueue } from "../../../src/editor/test-runs/batch-model.ts";

/** A task that ends when the test ends it. */
function aTask(): { run: () => Promise<boolean>; end: () => void; begun: () => boolean } {
  let end = (): void => {};
  let begun = false;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = async (): Promise<boolean> => {
    begun = true;
    await ended;
    return true;
  };
  return { run, end: () => end(), begun: () => begun };
}

test("one begins when the one before it has ended, also when that failed", async () => {
  const queue = createRunQueue();
  const first = aTask();
  const failing = queue.add(async () => {
    await first.run();
    throw new Error("no such test");
  });
  const second = aTask();
  const ended = queue.add(second.run);
  await Promise.resolve();
  const early = second.begun();

  first.end();
  second.end();

  await expect(failing).rejects.toThrow("no such test");
  expect(await ended).toBe(true);
  expect(early).toBe(false);
});

test("a running task is notified when stopped, and a waiting one never begins", async () => {
  const queue = createRunQueue();
  const running = queue.add(
    (stopped) => new Promise((resolve) => stopped.addEventListener("abort", () => resolve(false))),
  );
  const waiting = aTask();
  const waited = queue.add(waiting.run);
  await Promise.resolve();

  queue.stop();

  expect(await running).toBe(false);
  expect(await waited).toBe(false);
  expect(waiting.begun()).toBe(false);
});

test("after a stop, others run", async () => {
  const queue = createRunQueue();
  queue.stop();

  expect(await queue.add(() => Promise.resolve(true))).toBe(true);
});
