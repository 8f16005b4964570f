import { expect, test } from "vitest";
import { z } from "zod";
import {
  assistant,
  chatError,
  contextGuarded,
  fixedClient,
  functionClient,
  repairingOutput,
  retained,
  retrying,
  runTools,
  scriptedClient,
  seededSurroundings,
  tallied,
  timeLimited,
  tokenLimited,
  toolResult,
  user,
  withRetention,
  type ChatClient,
  type ChatRequest,
  type Message,
  type Part,
  type StreamEvent,
} from "../../../src/client/index.ts";

const HELLO = { messages: [user("hello")] };
const CALL = { type: "tool-call", id: "c", name: "f", arguments: "{}" } as const;

async function typesOf(stream: AsyncIterable<StreamEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  return types;
}

test("a stream that asks for no structured answer passes as it comes; one that was mended is the mended one", async () => {
  const output = { schema: z.object({ a: z.number() }) };
  const inner = fixedClient('so: {"a": 1} or {"a"', { pieces: "words" });
  const client = repairingOutput(inner);

  expect(await typesOf(client.stream(HELLO))).toEqual(await typesOf(inner.stream(HELLO)));
  expect(await repairingOutput(fixedClient('{"a": 1} !')).complete({ ...HELLO, output })).toMatchObject({
    output: { a: 1 },
    finishReason: "stop",
  });
});

test.each(["}{", "} and {", "{", "only } here", "[", ""])(
  "an answer %j has no JSON in it, and is asked for again",
  async (text) => {
    const output = { schema: z.object({ a: z.number() }) };
    const inner = scriptedClient([text, '{"a": 2}']);

    expect(await repairingOutput(inner).complete({ ...HELLO, output })).toMatchObject({ output: { a: 2 } });
    expect(inner.calls).toHaveLength(2);
  },
);

test("retention leaves everything else of a request and of a message as it is", async () => {
  const inner = fixedClient("hi");
  const named = { ...user("old"), name: "n" };
  const request = { messages: [user("task"), named, assistant("a"), user("new")], settings: { seed: 1 } };

  await withRetention(inner, { keep: 1 }).complete(request);

  expect(inner.calls).toEqual([
    {
      ...request,
      messages: [
        user("task"),
        { ...named, parts: [{ type: "text", text: "Tool result is omitted to save tokens." }] },
        assistant("a"),
        user("new"),
      ],
    },
  ]);
});

test.each<readonly [keep: number, left: number]>([
  [0, 2],
  [1, 1],
  [2, 0],
  [3, 0],
  [-1, 0],
])("of two results after the task, keeping %i leaves %i out", (keep, left) => {
  const messages = [user("task"), user("one"), user("two")];

  const kept = retained(messages, { keep });

  expect(kept.filter((message, index) => message !== messages[index])).toHaveLength(left);
  expect(kept[0]).toBe(messages[0]);
});

test("a message whose calls are gone stays where it says something, and keeps the rest of it", () => {
  const said = (...parts: readonly Part[]): Message => ({ role: "assistant", name: "n", parts });
  const messages = [
    user("task"),
    said({ type: "text", text: "so" }, CALL),
    toolResult("c", "r"),
    said({ type: "thinking", text: "hm" }, { ...CALL, id: "d" }),
    toolResult("d", "r"),
    user("last"),
  ];

  expect(retained(messages, { keep: 1, drop: "pairs" })).toMatchObject([
    { role: "user" },
    { role: "assistant", name: "n", parts: [{ type: "text", text: "so" }] },
    { parts: [{ text: "last" }] },
  ]);
});

const FAILING = fixedClient(chatError("connection", "broken"));
const tried = async (client: ChatClient, request: ChatRequest = HELLO): Promise<unknown> =>
  client.complete(request).catch((error: unknown) => error);

test.each<readonly [totalMs: number, tries: number]>([
  [10, 1],
  [11, 2],
  [20, 2],
  [21, 3],
])("with waits of 10 ms and %i ms for all there are %i tries", async (totalMs, tries) => {
  const surroundings = seededSurroundings(1, 5_000);
  const policy = { tries: 9, waitMs: () => 10, retries: () => true, totalMs };

  expect(await tried(retrying(FAILING, policy, { surroundings }))).toMatchObject({
    kind: "connection",
    tries,
  });
});

test("a wait that nobody asks for is none, and a longer one of the provider wins", async () => {
  const slept = async (retryAfterMs?: number): Promise<readonly number[]> => {
    const surroundings = seededSurroundings(1);
    const failure = chatError("rate-limit", "slow", retryAfterMs === undefined ? {} : { retryAfterMs });
    const policy = { tries: 2, waitMs: () => 0, retries: () => true };
    await tried(retrying(fixedClient(failure), policy, { surroundings }));
    return surroundings.slept;
  };

  expect([await slept(), await slept(0), await slept(4)]).toEqual([[0], [0], [4]]);
});

test("who left while a call failed is told so: with the call's own words where those say it", async () => {
  const leaving = new AbortController();
  const request = { ...HELLO, signal: leaving.signal };
  const own = chatError("cancelled", "own words");
  const failing = (failure: Error): ChatClient =>
    retrying(
      functionClient(() => {
        leaving.abort("gone");
        throw failure;
      }),
      "metagpt",
    );

  expect(await tried(failing(own), request)).toBe(own);
  const again = new AbortController();
  const inner = functionClient(() => {
    again.abort("gone");
    throw chatError("timeout", "slow");
  });
  expect(await tried(retrying(inner, "metagpt"), { ...HELLO, signal: again.signal })).toMatchObject({
    kind: "cancelled",
  });
});

test("a limit of tokens and one of the context refuse what no request is before they count", async () => {
  let counted = 0;
  const limited = tokenLimited(fixedClient("hi"), { maxInputTokens: 9, count: () => (counted += 1) });
  const guarded = contextGuarded(fixedClient("hi"), {
    maxContextTokens: 9_000,
    maxOutputTokens: 1,
    countTokens: () => (counted += 1),
  });

  for (const client of [limited, guarded])
    expect(await tried(client, { messages: [] })).toMatchObject({ kind: "validation", where: "messages" });
  expect(counted).toBe(0);
  expect(
    await tried(
      contextGuarded(fixedClient("hi"), { maxContextTokens: 1, maxOutputTokens: 1, countTokens: () => 1 }),
    ),
  ).toMatchObject({
    kind: "token-limit",
    hint: "Roll the history back, or sum it up.",
  });
});

test("a count begins at nothing, and options may be given that tell only", async () => {
  const told: string[] = [];
  const client = tokenLimited(fixedClient("hi"), {
    maxInputTokens: 0,
    count: () => 3,
    onOver: ({ message }) => void told.push(message),
  });

  expect(client.used).toBe(0);
  await client.complete(HELLO);
  expect([client.used, told.length]).toEqual([3, 1]);
});

test("whoever wants to hear of each usage does", async () => {
  const heard: unknown[] = [];
  const client = tallied(
    fixedClient({ content: "a", usage: { outputTokens: 2 } }),
    (usage) => void heard.push(usage),
  );

  await client.complete(HELLO);

  expect(heard).toMatchObject([{ outputTokens: 2 }]);
  expect(() => tallied(fixedClient("a"), {} as never)).toThrow("onUsage: a function is expected");
});

const looping = functionClient(() => CALL);
const TOOL = { name: "f", run: () => "r" } as never;

test.each<readonly [maxSteps: number | undefined, steps: number]>([
  [1, 1],
  [2, 2],
  [undefined, 10],
])("of a model that always calls, with at most %s steps, %i are run", async (maxSteps, steps) => {
  const run = await runTools(looping, HELLO, [TOOL], maxSteps === undefined ? {} : { maxSteps });

  expect([run.steps.length, run.done]).toEqual([steps, false]);
});

test("each step is waited for before the next begins, and keeps the settings of the first", async () => {
  const order: string[] = [];
  const inner = functionClient((_, call) => {
    order.push(`call ${call}`);
    return call === 1 ? CALL : "done";
  });
  const onStep = async (): Promise<void> => {
    await Promise.resolve();
    order.push("step");
  };

  await runTools(inner, { ...HELLO, settings: { seed: 3 } }, [TOOL], { onStep });

  expect(order).toEqual(["call 1", "step", "call 2", "step"]);
  expect(inner.calls.map(({ settings }) => settings)).toEqual([{ seed: 3 }, { seed: 3 }]);
});

test("an answer without anything in it is not kept in the conversation of a run", async () => {
  const run = await runTools(
    functionClient(() => ({ content: [] })),
    HELLO,
    [TOOL],
  );

  expect(run.messages).toEqual(HELLO.messages);
});

test("a time limit leaves no timer behind, whole and streamed, and says what to do", async () => {
  const running = new Set<AbortSignal>();
  const surroundings = {
    ...seededSurroundings(1),
    sleep: (_: number, signal?: AbortSignal): Promise<void> => {
      running.add(signal!);
      signal?.addEventListener("abort", () => running.delete(signal));
      return new Promise(() => {});
    },
  };
  const client = timeLimited(fixedClient("hi"), 5, { surroundings });

  await client.complete(HELLO);
  await typesOf(client.stream(HELLO));

  expect(running.size).toBe(0);
  expect(
    await tried(
      timeLimited(
        functionClient(() => new Promise(() => {})),
        5,
        { surroundings: seededSurroundings(1) },
      ),
    ),
  ).toMatchObject({
    kind: "timeout",
    message: "The call took longer than 5 ms.",
    hint: "Give it more time, or ask for less.",
  });
});

test("a stream that is left under a time limit ends the one inside of it", async () => {
  let ended = false;
  const inner: ChatClient = {
    ...fixedClient("hi"),
    async *stream() {
      try {
        yield { type: "start" };
        yield { type: "text", index: 0, text: "a" };
      } finally {
        ended = true;
      }
    },
  };

  for await (const _ of timeLimited(inner, 1_000).stream(HELLO)) break;

  expect(ended).toBe(true);
});
