import { expect, test } from "vitest";
import {
  chatError,
  collect,
  echoClient,
  fixedClient,
  functionClient,
  scriptedClient,
  seededSurroundings,
  textOf,
  user,
  type ChatClient,
  type MockReply,
  type StreamEvent,
} from "../../../src/client/index.ts";

const hello = { messages: [user("hello")] };

async function eventsOf(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function textsOf(client: ChatClient, count: number): Promise<string[]> {
  const texts: string[] = [];
  for (let call = 0; call < count; call += 1) texts.push(textOf((await client.complete(hello)).message));
  return texts;
}

test("a fixed reply is the same every time, whole and streamed, and new each time [X-03]", async () => {
  const client = fixedClient({ content: "hi", usage: { outputTokens: 2 }, finishReason: "length" });

  const [first, second] = [await client.complete(hello), await collect(client.stream(hello))];

  expect(first).toMatchObject({
    id: "mock-1",
    model: "mock",
    finishReason: "length",
    usage: { outputTokens: 2, uncachedInputTokens: 0 },
  });
  expect(second).toEqual({ ...first, id: "mock-2" });
  expect(second.message.parts[0]).not.toBe(first.message.parts[0]);
  expect(client.calls).toEqual([hello, hello]);
});

test("a script answers in order; when exhausted, it names the call without an answer", async () => {
  const failure = chatError("timeout", "too slow");
  const client = scriptedClient(["one", failure, { type: "tool-call", id: "c", name: "f", arguments: "{}" }]);

  expect(textOf((await client.complete(hello)).message)).toBe("one");
  await expect(client.complete(hello)).rejects.toBe(failure);
  expect((await client.complete(hello)).finishReason).toBe("tool-calls");
  expect(client.left).toBe(0);
  await expect(client.complete(hello)).rejects.toMatchObject({
    kind: "not-recorded",
    retryable: false,
    where: "call 4",
    message: "The script has no answer for call 4: it has 3.",
  });
});

test("a reply without parts is empty", async () => {
  expect((await fixedClient({ content: [] }).complete(hello)).message.parts).toEqual([]);
});

test("an echo returns the last user message, or a note when there is none", async () => {
  const echoed = await echoClient().complete(hello);

  expect([textOf(echoed.message), echoed.model]).toEqual(["hello", "echo"]);
  await expect(
    echoClient().complete({ messages: [{ role: "system", parts: [{ type: "text", text: "x" }] }] }),
  ).rejects.toMatchObject({ kind: "validation", where: "messages[0]" });
});

test("a function sees the request and the number of the call", async () => {
  const client = functionClient(({ messages }, call) => `${call}: ${textOf(messages.at(-1) ?? user(""))}`, {
    id: (call) => `id${call}`,
    provider: "p",
    model: "m",
  });

  expect(await textsOf(client, 2)).toEqual(["1: hello", "2: hello"]);
  expect((await client.complete(hello)).id).toBe("id3");
});

test("the same seed cuts texts and waits alike, bit by bit [X-04]", async () => {
  const run = async (seed: number): Promise<unknown> => {
    const surroundings = seededSurroundings(seed, 1_000);
    const client = fixedClient("a text that is cut at random", {
      pieces: "random",
      delayMs: 3,
      surroundings,
    });
    const events = await eventsOf(client.stream(hello));
    return { events, slept: surroundings.slept, now: surroundings.now(), id: surroundings.id() };
  };

  expect(await run(5)).toEqual(await run(5));
  expect(await run(6)).not.toEqual(await run(5));
});

test("a stream stops when its signal aborts, and fails with that reason", async () => {
  const controller = new AbortController();
  const client = fixedClient(["a", "b", "c"].map((text) => ({ type: "text", text }) as const));
  const seen: string[] = [];

  const reading = (async () => {
    for await (const event of client.stream({ ...hello, signal: controller.signal })) {
      seen.push(event.type);
      if (event.type === "text") controller.abort();
    }
  })();

  await expect(reading).rejects.toMatchObject({ kind: "cancelled" });
  expect(seen).toEqual(["start", "text"]);
});

test("a stream is for one use", async () => {
  const stream = fixedClient("hi").stream(hello);

  expect(await eventsOf(stream)).toHaveLength(3);
  expect(await eventsOf(stream)).toEqual([]);
});

test.each<[string, unknown, RegExp]>([
  ["a number", 7, /^reply: a text, parts or an answer is expected, got 7/],
  ["a tool's result", { type: "tool-result", callId: "c", content: "" }, /only|result/],
  ["a part of no type", [{ type: "smell" }], /"smell" is not a type of part/],
])("a mock that is configured to answer with %s describes the fault", async (_, reply, says) => {
  await expect(functionClient(() => reply as MockReply).complete(hello)).rejects.toMatchObject({
    kind: "validation",
    message: expect.stringMatching(says) as string,
  });
});

test("delays and pieces that make no sense are refused", async () => {
  expect(() => fixedClient("", { delayMs: -1 })).toThrow(
    "delayMs: milliseconds from 0 on are expected, got -1",
  );
  await expect(fixedClient("ab", { pieces: { characters: 0 } }).complete(hello)).rejects.toThrow(
    "pieces.characters",
  );
});
