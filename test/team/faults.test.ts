import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openRemote } from "../../src/remote/open-remote.ts";
import { notReached, tooSlow, isFull, remoteFailure } from "../../src/remote/failures.ts";
import type { RemoteStore } from "../../src/remote/remote-store.ts";
import { createConnection } from "../../src/team/connection.ts";
import { casesOf } from "../support/cases.ts";
import { seeded } from "../support/seeded.ts";
import { aStoreOver } from "./a-store-over.ts";
import { aTeam, type Team } from "./a-team.ts";

/** A store that does what it is told, call by call. */
function aStore(get: RemoteStore["get"]): RemoteStore {
  return {
    name: "the cache",
    access: { mayWrite: true },
    notes: [],
    get,
    add: async () => "added",
    async *list() {},
    touch: async () => {},
    close: async () => {},
  };
}

interface Trying {
  now: number;
  opened: number;
  readonly warnings: string[];
  readonly get: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

function trying(get: RemoteStore["get"], open?: () => Promise<RemoteStore>): Trying {
  const warnings: string[] = [];
  const state = { now: 0, opened: 0 };
  const connection = createConnection({
    open: async () => {
      state.opened += 1;
      return open === undefined ? aStore(get) : open();
    },
    warn: (message) => void warnings.push(message),
    ticks: () => state.now,
  });
  return Object.assign(state, {
    warnings,
    get: () => connection.ask((store, signal) => store.get("trusted/calls/x", signal)),
    close: () => connection.close(),
  });
}

const NEVER = new Promise<never>(() => {});

describe("a cache that fails", () => {
  it.each([
    ["cannot be reached", notReached("the cache", "connect ECONNREFUSED")],
    ["is too slow", tooSlow("the cache", 500)],
    [
      "refuses the credentials",
      remoteFailure("wrong", "the cache", "does not know this key.", { hint: "Set it." }),
    ],
    ["fails otherwise", new Error("something else")],
  ])("once, since it %s, is not asked again, and that is said once", async (_, error) => {
    let asked = 0;
    const cache = trying(async () => {
      asked += 1;
      throw error;
    });

    const answers = [await cache.get(), await cache.get(), await cache.get()];

    expect(answers).toEqual([undefined, undefined, undefined]);
    expect(asked).toBe(1);
    expect(cache.warnings).toHaveLength(1);
    expect(cache.warnings[0]).toContain(error.message);
  });

  it("lets everything go that is under way, however long its own answers take", async () => {
    let asked = 0;
    const cache = trying(async () => {
      asked += 1;
      if (asked < 100) return NEVER;
      throw tooSlow("the cache", 500);
    });

    const answers = await Promise.all(Array.from({ length: 100 }, () => cache.get()));

    expect(answers.filter((answer) => answer !== undefined)).toEqual([]);
  });

  it("is tried again after a while, and nobody waits for that", async () => {
    let isDown = true;
    const cache = trying(
      async () => new Uint8Array(1),
      async () => {
        if (isDown) throw notReached("the cache", "connect ECONNREFUSED");
        return aStore(async () => new Uint8Array(1));
      },
    );
    await cache.get();
    isDown = false;

    const before = await cache.get();
    cache.now = 10_000;
    const meanwhile = await cache.get();

    expect([before, meanwhile]).toEqual([undefined, undefined]);
    await vi.waitFor(async () => expect(await cache.get()).toEqual({ value: new Uint8Array(1) }), {
      timeout: 20_000,
    });
    expect(cache.opened).toBe(2);
  });

  it("is not tried again where only a person can mend it", async () => {
    const cache = trying(async () => {
      throw remoteFailure("wrong", "the cache", "has no such bucket.", { hint: "Name another one." });
    });
    await cache.get();
    cache.now = 100_000;

    await cache.get();

    expect(cache.opened).toBe(1);
  });

  it("with one object, or since it is full, goes on with others", async () => {
    let asked = 0;
    const cache = trying(async () => {
      asked += 1;
      if (asked === 1) throw isFull("the cache", "no space");
      if (asked === 2)
        throw remoteFailure("object", "the cache", "has a broken object.", { hint: "Remove it." });
      return new Uint8Array(1);
    });

    const answers = [await cache.get(), await cache.get(), await cache.get()];

    expect(answers).toEqual([undefined, undefined, { value: new Uint8Array(1) }]);
    expect(cache.warnings).toHaveLength(2);
  });
});

const RUNS = casesOf({ quick: 60, long: 1_000 });

it("that is killed, hung, filled, emptied or corrupted in the middle of runs fails none, gives no wrong reply and loses nothing", async () => {
  const team = await aTeam();
  const chance = seeded(7);
  const below = (most: number): number => Math.floor(chance() * most);
  const dirs = Array.from({ length: 4 }, aDir);
  const recorded = new Map<string, string>();
  for (let run = 0; run < RUNS; run += 1) {
    const dir = dirs[run % dirs.length] ?? "";
    // Each once: a second take is another answer.
    const first = below(RUNS);
    const words = Array.from({ length: 4 }, (_, index) => `call ${(first + index) % RUNS}`);
    const store = aFaultyStore(team, dir, { after: below(12), fault: below(FAULTS.length) });
    const machine = team.machine("without", { dir, store });
    const told = await machine.ask("record", ...words);
    await machine.close();
    await store.close();

    for (const [index, { outcome, text }] of told.entries()) {
      expect(["recorded", "replayed"]).toContain(outcome);
      expect(text).toMatch(new RegExp(` to ${words[index]}$`));
      expect(text).toBe(recorded.get(`${dir} ${words[index]}`) ?? text);
      recorded.set(`${dir} ${words[index]}`, text);
    }
  }

  // Without the cache everything is here that a machine was ever answered with.
  for (const dir of dirs) {
    const mine = [...recorded].filter(([name]) => name.startsWith(`${dir} `));
    const words = mine.map(([name]) => name.slice(dir.length + 1));
    const told = await team.machine("without", { dir }).ask("strict", ...words);
    expect(told.map(({ text }) => text)).toEqual(mine.map(([, text]) => text));
  }
}, 240_000);

/** What a cache does from then on, in place of what it is asked. */
const FAULTS: readonly ((store: RemoteStore) => RemoteStore)[] = [
  (store) => ({ ...store, ...throwing(() => notReached("the cache", "socket hang up")) }),
  (store) => ({ ...store, ...throwing(() => tooSlow("the cache", 500)) }),
  (store) => ({
    ...store,
    ...throwing(() => remoteFailure("wrong", "the cache", "is no more.", { hint: "?" })),
  }),
  (store) => ({ ...store, add: async () => Promise.reject(isFull("the cache", "no space")) }),
  (store) => ({ ...store, get: async () => undefined }),
  (store) => ({ ...store, get: async (...asked) => damaged(await store.get(...asked), 0) }),
  (store) => ({ ...store, get: async (...asked) => damaged(await store.get(...asked), -1) }),
  (store) => ({ ...store, get: async (...asked) => (await store.get(...asked))?.subarray(0, 300) }),
  (store) => ({
    ...store,
    async add(...asked) {
      await store.add(...asked);
      throw notReached("the cache", "cut off after it was written");
    },
  }),
];

function throwing(error: () => Error): Pick<RemoteStore, "get" | "add" | "list" | "touch"> {
  const fail = async (): Promise<never> => {
    throw error();
  };
  return {
    get: fail,
    add: fail,
    touch: fail,
    list: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }),
  };
}

function damaged(bytes: Uint8Array | undefined, at: number): Uint8Array | undefined {
  const copy = bytes && Uint8Array.from(bytes);
  const index = copy === undefined ? 0 : at < 0 ? copy.length + at : at;
  if (copy !== undefined) copy[index] = (copy[index] ?? 0) ^ 1;
  return copy;
}

function aFaultyStore(
  team: Team,
  dir: string,
  { after, fault }: { readonly after: number; readonly fault: number },
): ReturnType<typeof aStoreOver> {
  const settings = team.settings({ writes: true });
  return aStoreOver({
    dir,
    settings,
    open: async (signal) =>
      failingAfter(after, await openRemote(settings.address, { write: true, signal }), fault),
  });
}

/** Works so often, and then does what the fault does. */
function failingAfter(count: number, store: RemoteStore, fault: number): RemoteStore {
  const broken = FAULTS[fault]?.(store) ?? store;
  let left = count;
  const now = (): RemoteStore => (left-- > 0 ? store : broken);
  return {
    ...store,
    get: (...asked) => now().get(...asked),
    add: (...asked) => now().add(...asked),
    list: (...asked) => now().list(...asked),
    touch: (...asked) => now().touch(...asked),
  };
}

function aDir(): string {
  const root = mkdtempSync(join(tmpdir(), "tapedeck-faults-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, ".tapedeck"));
  return join(root, ".tapedeck");
}
