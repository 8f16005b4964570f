import { expect, test } from "vitest";
import { z } from "zod";
import {
  chatError,
  fixedClient,
  functionClient,
  repairingOutput,
  retained,
  retrying,
  runTools,
  seededSurroundings,
  tallied,
  timeLimited,
  toolResult,
  user,
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

test("a message without its calls stays if it has text, and keeps its other parts", () => {
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
const tried = async (client: ChatClient, request: ChatRequest = HELLO): Promise<unknown> =>
  client.complete(request).catch((error: unknown) => error);

test("a caller who aborts during a failing call gets an abort error, or the call's own abort error", async () => {
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

test("every usage is reported to its listeners", async () => {
  const heard: unknown[] = [];
  const client = tallied(
    fixedClient({ content: "a", usage: { outputTokens: 2 } }),
    (usage) => void heard.push(usage),
  );

  await client.complete(HELLO);

  expect(heard).toMatchObject([{ outputTokens: 2 }]);
  expect(() => tallied(fixedClient("a"), {} as never)).toThrow("onUsage: a function is expected");
});
const TOOL = { name: "f", run: () => "r" } as never;

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

test("a time limit leaves no timer behind, whole and streamed, and its error has a hint", async () => {
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
    hint: "Raise the limit, or request a shorter answer.",
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
