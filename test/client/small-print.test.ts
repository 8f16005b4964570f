import { expect, test } from "vitest";
import {
  chaosClient,
  checkOutputValue,
  collect,
  disconnected,
  fixedClient,
  rateLimited,
  realSurroundings,
  tokenLimited,
  user,
  type StreamEvent,
} from "../../src/client/index.ts";
import { mockOfDraft } from "../../src/client/mock/mock-reply.ts";
import { joinChunks, sdkError } from "../../src/client/wire/completions.ts";
import { given } from "./bad-input/cells.ts";

async function* told(...events: readonly StreamEvent[]): AsyncGenerator<StreamEvent, void, undefined> {
  yield* events;
}

const END: StreamEvent = { type: "finish", reason: "stop" };

/** Pieces of a stream that say some of their part late, or never. */
test.each<readonly [pieces: readonly StreamEvent[], part: object]>([
  [
    [
      { type: "tool-call", index: 0, name: "f" },
      { type: "tool-call", index: 0, id: "late", arguments: "{}" },
    ],
    { type: "tool-call", id: "late", name: "f", arguments: "{}" },
  ],
  [[{ type: "tool-call", index: 0, name: "f" }], { type: "tool-call", id: "", name: "f", arguments: "" }],
  [
    [{ type: "audio", index: 0, data: "UklG" }],
    { type: "audio", source: { kind: "base64", mediaType: "application/octet-stream", data: "UklG" } },
  ],
  [
    [
      { type: "text", index: 0, text: "a", extras: { x: 1 } },
      { type: "text", index: 0, text: "b", extras: { y: 2 } },
      { type: "text", index: 0, text: "c" },
    ],
    { type: "text", text: "abc", extras: { x: 1, y: 2 } },
  ],
])("of the pieces %j comes one part", async (pieces, part) => {
  expect((await collect(told(...pieces, END))).message.parts).toStrictEqual([part]);
});

test("what is wrong with a stream says where, and what to do", async () => {
  const nameless = collect(told({ type: "tool-call", index: 0, id: "c" }, END));
  const unknown = collect(told(given({ type: "odd" }), END));

  await expect(collect(told())).rejects.toMatchObject({
    where: "after 0 events",
    hint: "Ask again; nothing of a cut answer is kept.",
  });
  await expect(nameless).rejects.toMatchObject({ kind: "unknown", where: "stream" });
  await expect(unknown).rejects.toMatchObject({ kind: "unknown", where: "stream" });
});

test("an answer that a stream tells as a structure keeps what was told before", async () => {
  const reply = await collect(
    told({ type: "start", id: "r", model: "m" }, { type: "output", output: { a: 1 } }, END),
  );

  expect(reply).toMatchObject({ id: "r", model: "m", output: { a: 1 } });
});

test("five faults of a structured answer are told, and steps as bare keys or as keys of their own", async () => {
  const properties = Object.fromEntries(Array.from("abcdefg", (name) => [name, { type: "null" }]));
  const value = Object.fromEntries(Array.from("abcdefg", (name) => [name, 1]));
  const stepped = {
    "~standard": {
      version: 1,
      vendor: "own",
      validate: () => ({ issues: [{ message: "no", path: ["a", { key: "b" }] }, { message: "none" }] }),
      jsonSchema: { input: () => ({}), output: () => ({}) },
    },
  };

  await expect(checkOutputValue({ schema: { properties } }, value)).rejects.toThrow(/at \/e$/);
  await expect(checkOutputValue({ schema: given(stepped) }, 1)).rejects.toThrow(
    "output.a.b: no; output: none",
  );
});

test("faults on purpose say what they stand for, and a limit may have no wait", () => {
  expect(rateLimited(0)).toMatchObject({ error: { message: "Rate limit exceeded", retryAfterMs: 0 } });
  expect(disconnected()).toMatchObject({ at: 0, error: { message: "The connection was lost." } });
  expect(() => rateLimited(-1)).toThrow("milliseconds from 0 on are expected, got -1");
});

test("a seed has its own wrong order, call after call", async () => {
  const inner = fixedClient(Array.from("abcde", (text) => ({ type: "text", text })));
  const client = chaosClient(inner, { plan: () => ({ kind: "reorder" }), seed: 7 });
  const order = async (): Promise<string> => {
    const seen: string[] = [];
    for await (const event of client.stream({ messages: [user("hi")] }))
      seen.push("text" in event ? event.text : event.type.charAt(0));
    return seen.join("");
  };

  expect([await order(), await order()]).toEqual(["deabcfs", "ecsdfab"]);
});

test("what was used of a limit is counted, begins anew, and what is too much says what to do", async () => {
  const limited = tokenLimited(fixedClient("hi"), { maxInputTokens: 5, count: () => 3 });
  const ask = async (): Promise<unknown> => limited.complete({ messages: [user("hi")] });

  expect(limited.used).toBe(0);
  await ask();
  expect(limited.used).toBe(3);
  await expect(ask()).rejects.toMatchObject({
    hint: "Shorten the conversation, raise the limit, or reset the count.",
  });
  limited.reset();
  expect(limited.used).toBe(0);
});

test("ids of this process are 32 digits of hex", () => {
  expect(realSurroundings().id()).toMatch(/^[\da-f]{32}$/);
});

const CALL = { id: "c", name: "f", arguments: "{}" };

test.each<readonly [text: string, toolCalls: readonly (typeof CALL)[], types: readonly string[]]>([
  ["", [CALL], ["tool-call"]],
  ["", [], ["text"]],
  ["a", [CALL], ["text", "tool-call"]],
])("a reply that says %j with the calls %j has parts of these types: %j", (text, toolCalls, types) => {
  const { content } = mockOfDraft({ text, toolCalls });

  expect(Array.isArray(content) ? content.map(({ type }: { type: string }) => type) : content).toEqual(types);
});

test("a stream that says no choice is a completion of none, with what was used", async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 0 };
  const chunks = async function* (): AsyncGenerator {
    yield { choices: [], usage };
  };

  expect(await joinChunks(chunks())).toEqual({ choices: [], usage });
  await expect(joinChunks({})).rejects.toMatchObject({
    kind: "validation",
    message: "A stream was asked for, and the provider answered with something else.",
  });
});

test("whoever leaves is no failure of an SDK", () => {
  const left = new DOMException("left", "AbortError");

  expect(sdkError(left)).toMatchObject({ kind: "cancelled", message: "The call was cancelled." });
});
