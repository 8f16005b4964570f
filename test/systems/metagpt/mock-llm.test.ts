import { expect, test } from "vitest";
import { chatError } from "../../../src/client/errors.ts";
import type { LlmClient } from "../../../src/systems/metagpt/llm-client.ts";
import type { CacheMiss } from "../../../src/systems/metagpt/miss.ts";
import { MockLLM, type MockLlmOptions } from "../../../src/systems/metagpt/mock-llm.ts";
import { allowsLiveCalls, createSession, migrateKey } from "../../../src/systems/metagpt/session.ts";
import { createResponseCache, memoryCache } from "../../../src/systems/metagpt/cache/response-cache.ts";

test("live calls are off unless ALLOW_OPENAI_API_CALL is a number other than 0, and in CI always [MG-23, MG-D1]", () => {
  expect(allowsLiveCalls({})).toBe(false);
  expect(allowsLiveCalls({ ALLOW_OPENAI_API_CALL: "" })).toBe(false);
  expect(allowsLiveCalls({ ALLOW_OPENAI_API_CALL: "0" })).toBe(false);
  expect(allowsLiveCalls({ ALLOW_OPENAI_API_CALL: " 1 " })).toBe(true);
  expect(allowsLiveCalls({ ALLOW_OPENAI_API_CALL: "-2", CI: "false" })).toBe(true);
  expect(allowsLiveCalls({ ALLOW_OPENAI_API_CALL: "1", CI: "true" })).toBe(false);
  expect(() => allowsLiveCalls({ ALLOW_OPENAI_API_CALL: "yes" })).toThrow('a whole number, not "yes"');
});

test("the mock replaces every client of a class, and restores the originals [MG-24]", async () => {
  class RealClient {
    async aask(): Promise<string> {
      return "real";
    }
  }
  const [first, second] = [new RealClient(), new RealClient()];
  const standIn = new MockLLM({ cache: memoryCache([["hi", "cached"]]) });

  const standing = standIn.standInFor(RealClient.prototype);
  const during = [await ask(first), await ask(second), await ask(new RealClient())];
  standing.dispose();

  expect(during).toEqual(["cached", "cached", "cached"]);
  expect(await ask(first)).toBe("real");
  expect("aaskBatch" in first).toBe(false);
});

test("the mock wraps any client, hands it the caller's arguments and passes its errors through [MG-I3, MG-15]", async () => {
  const live = echo();
  const llm = mock({ live });

  await llm.aask("q", { systemMsgs: "s", images: "aGk=", timeout: 7 });
  await llm.aaskBatch(["a", "b"], { timeout: 8 });
  await llm.aaskCode("c", { tools: [], timeout: 9 });
  live.fails = chatError("rate-limit", "slow down");

  await expect(llm.aask("r")).rejects.toThrow("slow down");
  expect(live.asked).toEqual([
    ["q", { stream: false, systemMsgs: "s", images: "aGk=", timeout: 7 }],
    [["a", "b"], { timeout: 8 }],
    ["c", { tools: [], timeout: 9 }],
    ["r", { stream: false }],
  ]);
  expect(llm.candidates.map(({ key }) => key)).toHaveLength(3);
});

test("a miss names its key, its method, the nearest keys, and where they diverge [MG-I8, MG-14]", async () => {
  const known = ["Write a snake game in Python", "Write a poem", "zzz"].map((key) => [key, "x"] as const);
  const llm = new MockLLM({ cache: memoryCache(known, "cache/rsp_cache.json") });

  const miss = (await llm.aask("Write a snake game in Rust").catch((error: unknown) => error)) as CacheMiss;

  const difference = 'from character 23 on: "Python" there, "Rust" here';
  expect(miss).toMatchObject({
    message: expect.stringContaining("add expected api response in cache/rsp_cache.json") as string,
    key: "Write a snake game in Rust",
    method: "aask",
    cacheFile: "cache/rsp_cache.json",
    nearest: [{ key: "Write a snake game in Python", difference }, { key: "Write a poem" }],
  });
});

test("a miss is answered by the client's policy, which a call can override [MG-I4]", async () => {
  const log: string[] = [];
  const live = echo();
  const options = {
    cache: memoryCache(),
    live,
    log: ({ message }: { message: string }) => log.push(message),
  };

  const fixed = new MockLLM({ ...options, onMiss: { default: "D" } });
  const computed = new MockLLM({ ...options, onMiss: { default: ({ key }: CacheMiss) => `for ${key}` } });
  const failing = new MockLLM({ ...options, onMiss: { error: { status: 429, message: "slow down" } } });
  const warning = new MockLLM({ ...options, onMiss: "warn-and-live" });

  expect([await fixed.aask("a"), await computed.aask("b"), await warning.aask("c")]).toEqual([
    "D",
    "for b",
    "live c",
  ]);
  await expect(failing.aask("d")).rejects.toMatchObject({ kind: "rate-limit", status: 429 });
  await expect(fixed.aask("e", { onMiss: "strict" })).rejects.toThrow("api call is not allowed");
  expect(log).toEqual(["Not in the response cache, asking live: c"]);
  expect([fixed.candidates, computed.candidates, warning.candidates].map((list) => list.length)).toEqual([
    0, 0, 1,
  ]);
});

test("candidates are bounded, dropped ones are counted, and they can be cleared [MG-I5]", async () => {
  const llm = mock({ live: echo(), maxCandidates: 2 });

  for (const text of ["a", "b", "c"]) await llm.aask(text);

  expect(llm.candidates.map(({ key }) => key)).toEqual(["b", "c"]);
  expect(llm.droppedCandidates).toBe(1);
  llm.clearCandidates();
  expect(llm.candidates).toEqual([]);
  for (const none of [0, 1.5, Number.NaN])
    expect(() => mock({ maxCandidates: none })).toThrow(`a whole number from 1, not ${none}`);
  const one = mock({ live: echo(), maxCandidates: 1 });
  for (const text of ["a", "b"]) await one.aask(text);
  expect(one.candidates.map(({ key }) => key)).toEqual(["b"]);
});

test("candidates are in the order of the calls, for any order of the answers [MG-16]", async () => {
  const live = echo();
  const gates: (() => void)[] = [];
  live.wait = () => new Promise((resolve) => gates.push(resolve));
  const llm = mock({ live });

  const asking = ["first", "second"].map((text) => llm.aask(text));
  gates[1]?.();
  await asking[1];
  gates[0]?.();
  await Promise.all(asking);

  expect(llm.candidates.map(({ key }) => key)).toEqual(["first", "second"]);
});

test("the least used entries leave a bounded cache, and no stored answer is lost [MG-I5]", async () => {
  const stored = new Map([
    ["a", "1"],
    ["b", "2"],
    ["c", "3"],
  ]);
  const write = async () => ({ entries: [...stored], wrote: true });
  const backEnd = { place: "p", read: async () => [...stored], write };
  const cache = createResponseCache(backEnd, { maxEntries: 2 });

  await cache.load();
  cache.get("b");
  cache.set("d", "4");

  expect(cache.keys()).toEqual(["b", "d"]);
  expect(stored.size).toBe(3);
});

test("the cache is a separate manager over a replaceable back end [MG-I2]", async () => {
  const cache = memoryCache();

  cache.set("k", "v");
  cache.set("gone", null);
  const before = [cache.get("k"), cache.has("gone"), cache.get("gone"), cache.get("absent"), cache.keys()];
  const wasThere = [cache.delete("gone"), cache.delete("gone")];
  const saved = [await cache.save(), await cache.save()];
  await cache.load();

  expect(before).toEqual(["v", true, null, undefined, ["k", "gone"]]);
  expect(wasThere).toEqual([true, false]);
  // Nothing outlives the process, so nothing was written.
  expect(saved).toEqual([false, false]);
  expect(cache.keys()).toEqual(["k"]);
});

test("answers that are saved at once are requested live once, also by concurrent calls [MG-I6]", async () => {
  const live = echo();
  const forgetful = mock({ live });
  const remembering = mock({ live, rememberAtOnce: true });

  await forgetful.aask("x");
  await forgetful.aask("x");
  const answers = await Promise.all(["y", "y", "y"].map((text) => remembering.aask(text)));

  expect(answers).toEqual(["live y", "live y", "live y"]);
  expect(live.asked.map(([text]) => text)).toEqual(["x", "x", "y"]);
  expect(remembering.candidates).toHaveLength(3);
});

test("an answer of the other kind is served with a warning [MG-D8]", async () => {
  const log: unknown[] = [];
  const cache = memoryCache([['[{"role": "user", "content": "x"}]', "a text"]]);
  const llm = new MockLLM({ cache, log: (entry) => log.push(entry) });

  const answer: unknown = await llm.aaskCode("x");

  expect(answer).toBe("a text");
  expect(log).toEqual(
    ["Use response cache", "The stored answer is no object, but aask_code asked for one."].map((message) => ({
      level: "warning",
      message,
    })),
  );
});

test("both keys: the strong one is looked up first, the legacy one still answers, and a file can be migrated [MG-I1]", async () => {
  const cache = memoryCache([["q", "legacy"]]);
  const live = echo();
  const session = createSession({ cache, live, allowLive: true, keys: "both" });
  const request = { method: "aask", provider: "openai", model: "gpt-4-turbo", args: { msg: "q" } } as const;

  const old = session.mockLLM();
  const legacy = await old.aask("q");
  const added = await old.aask("new");
  session.finishTest(old, "passed");
  const migrated = [migrateKey(cache, "q", request), migrateKey(cache, "absent", request)];
  cache.delete("q");
  const strong = await new MockLLM({ cache, keys: "strong" }).aask("q");

  expect([legacy, added, strong]).toEqual(["legacy", "live new", "legacy"]);
  expect(migrated).toEqual([true, false]);
  expect(cache.keys().every((key) => key.startsWith("v2:sha256:"))).toBe(true);
});

function mock(options: Partial<MockLlmOptions>): MockLLM {
  return new MockLLM({ cache: memoryCache(), allowLive: true, ...options });
}

interface Echo extends LlmClient {
  readonly asked: [unknown, unknown][];
  fails?: Error;
  answer?: unknown;
  wait?: () => Promise<void>;
}

function echo(): Echo {
  const asked: [unknown, unknown][] = [];
  const client: Echo = { asked, aask: answer, aaskBatch: answer, aaskCode: answer };
  async function answer<T>(given: unknown, options?: unknown): Promise<T> {
    asked.push([given, options]);
    await client.wait?.();
    if (client.fails !== undefined) throw client.fails;
    return (client.answer ?? `live ${String(given)}`) as T;
  }
  return client;
}

/** Called as the code under test would, which knows nothing of a stand-in. */
async function ask(client: { aask: () => Promise<string> }): Promise<string> {
  return (client as unknown as { aask(msg: string): Promise<string> }).aask("hi");
}

test("a class cannot be mocked, its prototype can [MG-I3]", () => {
  const standIn = new MockLLM({ cache: memoryCache() });
  class RealClient {
    readonly name = "real";
  }

  expect(() => standIn.standInFor(RealClient)).toThrow("must be a client or a prototype, not a class");
});
