import { describe, expect, it } from "vitest";
import { createNotReachedError, createRemoteFailure } from "../../src/remote/failures.ts";
import type { ObjectStore } from "../../src/remote/object-store.ts";
import { createConnection } from "../../src/team/team-cache.ts";

const STORE: ObjectStore = {
  get: async () => undefined,
  put: async () => {},
  list: async () => [],
  close: async () => {},
};

function aConnection(failure: () => Error | undefined) {
  const state = { now: 0, operations: 0, warnings: new Array<string>() };
  const connection = createConnection({
    open: async () => STORE,
    warn: (message) => void state.warnings.push(message),
    ticks: () => state.now,
  });
  const ask = (): Promise<string | undefined> =>
    connection.ask(async () => {
      state.operations += 1;
      const error = failure();
      if (error !== undefined) throw error;
      return "answered";
    });
  return Object.assign(state, { ask, connection });
}

describe("the connection to a cache", () => {
  it("leaves a cache alone for a while after it failed, and tries it again then", async () => {
    let isDown = true;
    const cache = aConnection(() =>
      isDown ? createNotReachedError("the cache", "connect ECONNREFUSED") : undefined,
    );

    const first = [await cache.ask(), await cache.ask()];
    isDown = false;
    cache.now = 29_999;
    const before = await cache.ask();
    cache.now = 30_000;
    const after = await cache.ask();

    expect([...first, before, after]).toEqual([undefined, undefined, undefined, "answered"]);
    expect(cache.operations).toBe(2);
    expect(cache.warnings).toHaveLength(1);
    expect(cache.connection.trouble).toBeUndefined();
  });

  it("does not try a cache again that only a person can correct", async () => {
    const cache = aConnection(() =>
      createRemoteFailure("wrong", "the cache", "has no bucket.", { hint: "Name another." }),
    );
    await cache.ask();
    cache.now = 1_000_000;
    await cache.ask();

    expect(cache.operations).toBe(1);
    expect(cache.connection.trouble).toContain("has no bucket");
  });

  it("continues after a failure of one object", async () => {
    const cache = aConnection(() =>
      createRemoteFailure("object", "the cache", "has no file.", { hint: "Remove it." }),
    );
    await cache.ask();
    await cache.ask();

    expect(cache.operations).toBe(2);
    expect(cache.connection.trouble).toBeUndefined();
  });
});
