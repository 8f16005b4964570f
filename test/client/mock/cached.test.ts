import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  cachedClient,
  chaosClient,
  collect,
  fixedClient,
  functionClient,
  rateLimited,
  textOf,
  user,
  type CachedClient,
  type CachedOptions,
  type ChatRequest,
  type MockClient,
} from "../../../src/client/index.ts";
import type { CassetteStore } from "../../../src/core/cassette/store.ts";
import { openDeck } from "../../../src/deck/deck.ts";
import { createMemoryStore } from "../../../src/storage/memory-store.ts";
import { aFolder } from "../../support/a-folder.ts";

const asking = (text: string): ChatRequest => ({ messages: [user(text)] });

/** A client that records what a counting one answers. */
function recorder(options: Partial<CachedOptions> = {}): Recorder {
  const store = createMemoryStore();
  const outcomes: string[] = [];
  const counting = functionClient((_, call) => ({
    content: `answer ${call}`,
    usage: { outputTokens: call },
  }));
  const onOutcome = (outcome: string): void => void outcomes.push(outcome);
  return {
    store,
    outcomes,
    counting,
    client: cachedClient(counting, { mode: "record", onOutcome, ...options, store }),
  };
}

interface Recorder {
  readonly store: CassetteStore;
  readonly outcomes: string[];
  readonly counting: MockClient;
  readonly client: CachedClient;
}

test("what was recorded is replayed in strict mode, whole and streamed, without asking again", async () => {
  const { store, outcomes, counting, client } = recorder();
  const whole = await client.complete(asking("a"));
  const streamed = await collect(client.stream(asking("b")));

  const strict = cachedClient(counting, { store, onOutcome: (outcome) => outcomes.push(outcome) });

  expect(await strict.complete(asking("a"))).toEqual(whole);
  expect(await collect(strict.stream(asking("b")))).toEqual(streamed);
  expect(counting.calls).toHaveLength(2);
  expect(outcomes).toEqual(["recorded", "recorded", "replayed", "replayed"]);
});

test("a request that is not recorded is a miss that names the nearest one", async () => {
  const { store, client, counting } = recorder();
  await client.complete({ ...asking("a"), settings: { temperature: 0.2 } });
  const strict = cachedClient(counting, { store });

  const missing = strict.complete({ ...asking("a"), settings: { temperature: 0.7 } });

  await expect(missing).rejects.toMatchObject({ kind: "not-recorded", retryable: false });
  await expect(missing).rejects.toThrow(/temperature.*0\.2.*0\.7/);
  await expect(strict.complete(asking("x"))).rejects.toMatchObject({ kind: "not-recorded" });
  expect(counting.calls).toHaveLength(1);
});

test("identical requests get their takes in order, then the last one again", async () => {
  const { store, client, counting } = recorder();
  for (let call = 0; call < 2; call += 1) await client.complete(asking("a"));
  const strict = cachedClient(counting, { store });
  const texts: string[] = [];

  for (let call = 0; call < 3; call += 1) texts.push(textOf((await strict.complete(asking("a"))).message));

  expect(texts).toEqual(["answer 1", "answer 2", "answer 2"]);
});

test("headers, time limits and signals do not make a request another one, and are not kept", async () => {
  const { store, client, counting } = recorder();
  await client.complete({
    ...asking("a"),
    settings: { headers: { authorization: "Bearer sk-secret-1234567890" }, timeoutMs: 5 },
  });
  const strict = cachedClient(counting, { store });

  const reply = await strict.complete({
    ...asking("a"),
    settings: { timeoutMs: 9 },
    signal: new AbortController().signal,
  });

  expect(textOf(reply.message)).toBe("answer 1");
  for (const { entry } of await store.list()) {
    const body = new TextDecoder().decode((await store.read(entry)).request.body);
    expect(Object.keys(JSON.parse(body) as object).sort()).toEqual(["messages", "model"]);
  }
});

test("an answer that fails or is cut is not recorded, and its error is the client's own", async () => {
  const { store } = recorder();
  const inner = chaosClient(fixedClient("fine"), {
    plan: (call) => (call === 1 ? rateLimited(500) : call === 2 ? { kind: "cut", after: 1 } : undefined),
  });
  const client = cachedClient(inner, { store, mode: "record" });

  await expect(client.complete(asking("a"))).rejects.toMatchObject({ kind: "rate-limit", retryAfterMs: 500 });
  await expect(collect(client.stream(asking("a")))).rejects.toMatchObject({ kind: "connection" });
  expect(await store.list()).toHaveLength(0);
  expect(textOf((await client.complete(asking("a"))).message)).toBe("fine");
  expect(await store.list()).toHaveLength(1);
});

test("lenient mode answers by default when nothing is recorded", async () => {
  const { client, counting } = recorder({ mode: "lenient", defaultReply: "by default" });

  expect(textOf((await client.complete(asking("a"))).message)).toBe("by default");
  expect(counting.calls).toEqual([]);
});

test("what the project's rules spare makes no other request, in recording and in look-up, and counts as they change", async () => {
  const folder = aFolder();
  const deck = openDeck({ dir: join(folder, ".tapedeck") });
  onTestFinished(() => deck.close());
  const rules = (...normalise: object[]): void =>
    writeFileSync(join(folder, "tapedeck.jsonc"), JSON.stringify({ normalise }));
  const over = { store: deck.store, project: deck.project };
  const { client, counting } = recorder();
  const recording = cachedClient(client, { ...over, mode: "record" });
  const strict = cachedClient(counting, over);
  const says = async (one: CachedClient, id: string): Promise<string> =>
    textOf((await one.complete(asking(`About ${id}`))).message);
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];

  rules({ replace: "$uuid" });
  await deck.project.reload();
  await deck.names.rename();
  const recorded = await says(recording, first);
  const spared = await says(strict, second);
  rules({ provider: ["openai"], replace: "$uuid" });
  await deck.project.reload();
  await deck.names.rename();
  const unspared = says(strict, second);

  expect([recorded, spared]).toEqual(["answer 1", "answer 1"]);
  await expect(unspared).rejects.toMatchObject({ kind: "not-recorded" });
  expect(await says(strict, first)).toBe("answer 1");
  rules({ provider: ["client"], ignore: "/messages/*/parts/*/text" });
  await deck.project.reload();
  await deck.names.rename();
  expect(await says(strict, second)).toBe("answer 1");
  expect(counting.calls).toHaveLength(1);
});

test("a project that repeats the first take does so here too, unless the client overrides it", async () => {
  const folder = aFolder();
  writeFileSync(join(folder, "tapedeck.jsonc"), JSON.stringify({ repeats: "same" }));
  const deck = openDeck({ dir: join(folder, ".tapedeck") });
  onTestFinished(() => deck.close());
  const { counting } = recorder();
  const over = { store: deck.store, project: deck.project };
  const recording = cachedClient(counting, { ...over, mode: "record", repeats: "takes" });
  for (let call = 0; call < 2; call += 1) await recording.complete(asking("a"));

  const asked = async (repeats?: "takes"): Promise<readonly string[]> => {
    const client = cachedClient(counting, { ...over, ...(repeats && { repeats }) });
    const replies = [await client.complete(asking("a")), await client.complete(asking("a"))];
    return replies.map(({ message }) => textOf(message));
  };

  expect(await asked()).toEqual(["answer 1", "answer 1"]);
  expect(await asked("takes")).toEqual(["answer 1", "answer 2"]);
});

test("leaving a stream ends the request behind it", async () => {
  const signals: AbortSignal[] = [];
  const store = createMemoryStore();
  const endless = functionClient(() => "never");
  const client = cachedClient(
    {
      ...endless,
      async *stream({ signal }) {
        if (signal) signals.push(signal);
        for (let index = 0; ; index += 1) {
          signal?.throwIfAborted();
          yield { type: "text", index, text: "more" };
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    },
    { store, mode: "record" },
  );

  for await (const event of client.stream(asking("a"))) if (event.type === "text") break;

  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await store.list()).toHaveLength(0);
});

test("closing a cached client closes the one inside, and its run has an id of eight digits", async () => {
  let closed = 0;
  const inner = { ...fixedClient("hi"), close: async () => void (closed += 1) };
  const client = cachedClient(inner, { mode: "record", store: createMemoryStore() });

  await client.close?.();

  expect([closed, client.run.id]).toEqual([1, expect.stringMatching(/^[\da-f]{8}$/)]);
});
