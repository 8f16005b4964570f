import { getEventListeners } from "node:events";
import { stat } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { faultOf } from "../../src/remote/failures.ts";
import { createPatience, type Patience } from "../../src/remote/patience.ts";

const LIMITS = { firstMs: 1_000, leastMs: 100, mostMs: 2_000 };
const signal = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that takes so long. */
const takes = (ms: number) => (): Promise<string> =>
  new Promise((resolve) => setTimeout(resolve, ms, "done"));

function keepBusy(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function became(patience: Patience, ms: number, sizeBytes?: number): Promise<unknown> {
  const result = patience.wait(takes(ms), { signal, sizeBytes }).catch(faultOf);
  await vi.advanceTimersByTimeAsync(100_000);
  return result;
}

describe("patience with a remote", () => {
  it("is long at first, then a multiple of what it took lately, within bounds", async () => {
    const patience = createPatience("here", LIMITS);

    expect(await became(patience, 900)).toBe("done");
    expect(await became(patience, 1_900)).toBe("done");
    for (let index = 0; index < 32; index += 1) await became(patience, 10);
    expect(await became(patience, 90)).toBe("done");
    for (let index = 0; index < 32; index += 1) await became(patience, 10);
    expect(await became(patience, 150)).toBe("slow");
  });

  it("grows again with a remote that got slower", async () => {
    const patience = createPatience("here", LIMITS);
    await became(patience, 10);

    expect(await became(patience, 300)).toBe("slow");
    expect(await became(patience, 300)).toBe("done");
  });

  it("is longer for what is sent in one piece, by its size", async () => {
    expect(await became(createPatience("here", LIMITS), 1_500)).toBe("slow");
    expect(await became(createPatience("here", LIMITS), 1_500, 256_000)).toBe("done");
  });

  it("has a least of its own for what is sent to be kept", async () => {
    const patience = createPatience("here", { ...LIMITS, keepMs: 500 });
    await became(patience, 10);

    expect(await became(patience, 400)).toBe("slow");
    for (let index = 0; index < 32; index += 1) await became(patience, 10);
    expect(await became(patience, 400, 0)).toBe("done");
  });

  it("begins anew with each sign of life", async () => {
    const patience = createPatience("here", LIMITS);
    const result = patience.wait(
      async (waiting) => {
        for (let piece = 0; piece < 10; piece += 1) {
          await takes(800)();
          waiting.alive();
        }
        return "whole";
      },
      { signal },
    );
    await vi.advanceTimersByTimeAsync(100_000);

    expect(await result).toBe("whole");
  });

  it("counts no time in which this process was busy with other things", async () => {
    vi.useRealTimers();
    const patience = createPatience("here", LIMITS);
    const result = patience.wait(
      async () => {
        for (let step = 0; step < 5; step += 1) {
          const stepped = stat(".");
          keepBusy(300);
          await stepped;
        }
        return "done";
      },
      { signal },
    );

    expect(await result.catch(faultOf)).toBe("done");
  });

  it("ends the work when it is over, and says how long that was", async () => {
    const ended: unknown[] = [];
    const result = createPatience("s3://team", LIMITS)
      .wait(
        (waiting) => {
          waiting.signal.addEventListener("abort", () => ended.push(waiting.signal.reason));
          return new Promise(() => {});
        },
        { signal },
      )
      .catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_100);

    expect(String(await result)).toContain("The remote s3://team did not answer within 1000 ms.");
    expect(ended).toEqual([await result]);
  });

  it("leaves nothing behind: no timer, no listener", async () => {
    const patience = createPatience("here", LIMITS);
    const controller = new AbortController();

    const all = Array.from({ length: 50 }, () => patience.wait(takes(10), { signal: controller.signal }));
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(50);
    await vi.advanceTimersByTimeAsync(20);
    await Promise.all(all);

    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
