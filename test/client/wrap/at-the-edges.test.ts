import { expect, test } from "vitest";
import {
  chatError,
  fixedClient,
  functionClient,
  retrying,
  seededSurroundings,
  timeLimited,
  user,
  type ChatClient,
  type ChatRequest,
  type StreamEvent,
} from "../../../src/client/index.ts";
import { given } from "../bad-input/cells.ts";

const HELLO = { messages: [user("hello")] };

async function typesOf(stream: AsyncIterable<StreamEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  return types;
}

const tried = async (client: ChatClient, request: ChatRequest = HELLO): Promise<unknown> =>
  client.complete(request).catch((error: unknown) => error);

test("a wrapped client refuses a request that is none, whole and as a stream", async () => {
  const client = timeLimited(fixedClient("hi"), 5);
  const refused = { kind: "validation", message: expect.stringContaining("request") as string };

  expect(await tried(client, given(null))).toMatchObject(refused);
  await expect(typesOf(client.stream(given(undefined)))).rejects.toMatchObject(refused);
});

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
