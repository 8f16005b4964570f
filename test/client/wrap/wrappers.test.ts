import { expect, test } from "vitest";
import {
  addUsage,
  assistant,
  chatError,
  collect,
  contextGuarded,
  estimateContext,
  fixedClient,
  functionClient,
  retained,
  rolledBack,
  scriptedClient,
  tallied,
  textOf,
  toolResult,
  totalTokens,
  tokenLimited,
  usage,
  user,
  withRetention,
  type Message,
} from "../../../src/client/index.ts";

const hello = { messages: [user("hello")] };
const used = (inputOf: number, outputOf: number): { usage: ReturnType<typeof usage>; content: string } => ({
  content: "ok",
  usage: usage({ uncachedInputTokens: inputOf, cacheReadTokens: 1, outputTokens: outputOf }),
});

test("a tally counts each answered call once, and is a value", async () => {
  const client = tallied(
    scriptedClient([used(10, 1), chatError("timeout", "slow"), used(20, 2), "no usage"]),
  );
  await client.complete(hello);
  const early = client.tally();
  await client.complete(hello).catch(() => undefined);
  await collect(client.stream(hello));
  await client.complete(hello);

  const { total, calls, failed } = client.tally();

  expect(early.total).toMatchObject({ uncachedInputTokens: 10, outputTokens: 1 });
  expect(total).toMatchObject({ uncachedInputTokens: 30, cacheReadTokens: 2, outputTokens: 3 });
  expect(totalTokens(total)).toBe(35);
  expect([calls.length, calls.at(-1), failed]).toEqual([3, undefined, 1]);
  expect(client.reset().failed).toBe(1);
  expect(client.tally()).toEqual({ total: usage({}), calls: [], failed: 0 });
  expect(addUsage(total, total).outputTokens).toBe(6);
});

test("the token limit is cumulative, equality passes, and nothing is sent beyond it", async () => {
  const inner = functionClient(() => ({ content: "ok", usage: { uncachedInputTokens: 40 } }));
  const client = tokenLimited(inner, { maxInputTokens: 100, count: () => 60 });
  await client.complete(hello);

  await client.complete(hello);
  const third = client.complete(hello);

  await expect(third).rejects.toMatchObject({ kind: "token-limit", retryable: false });
  await expect(third).rejects.toThrow(
    "Request may exceed input token limit (Current: 80, Needed: 60, Max: 100)",
  );
  expect([inner.calls.length, client.used]).toEqual([2, 80]);
  client.reset();
  expect((await client.complete(hello)).finishReason).toBe("stop");
});

test("a limit of nothing lets nothing through but what needs nothing", async () => {
  const limited = tokenLimited(fixedClient("ok"), { maxInputTokens: 0, count: () => 0 });
  const guarded = contextGuarded(fixedClient("ok"), {
    maxContextTokens: 0,
    maxOutputTokens: 0,
    countTokens: () => 0,
  });

  expect((await limited.complete(hello)).finishReason).toBe("stop");
  await expect(guarded.complete(hello)).rejects.toThrow("The context would be full: 1000 of 0 tokens.");
});

test("a stream that is left counts as failed, one that is read to its end does not", async () => {
  const client = tallied(fixedClient("a long text"));

  await collect(client.stream(hello));
  for await (const _ of client.stream(hello)) break;

  expect(client.tally()).toMatchObject({ calls: [undefined], failed: 1 });
});

test("the estimate counts when a provider reports no usage, failed calls do not count, and 0 is a limit", async () => {
  const inner = scriptedClient(["ok", chatError("timeout", "slow")]);
  const client = tokenLimited(inner, { count: ({ messages }) => messages.length * 7 });

  await collect(client.stream(hello));
  await client.complete(hello).catch(() => undefined);

  expect(client.used).toBe(7);
  await expect(
    tokenLimited(inner, { maxInputTokens: 0, count: () => 1 }).complete(hello),
  ).rejects.toMatchObject({ kind: "token-limit" });
  expect(() => tokenLimited(inner, { maxInputTokens: -1, count: () => 1 })).toThrow("maxInputTokens");
  await expect(tokenLimited(inner, { count: () => Number.NaN }).complete(hello)).rejects.toMatchObject({
    kind: "validation",
    where: "count",
  });
});

const history: readonly Message[] = [
  { role: "system", parts: [{ type: "text", text: "be brief" }] },
  user("the task"),
  assistant([{ type: "tool-call", id: "1", name: "f", arguments: "{}" }]),
  toolResult("1", "first"),
  assistant([
    { type: "text", text: "and" },
    { type: "tool-call", id: "2", name: "f", arguments: "{}" },
  ]),
  toolResult("2", "second"),
  user("more"),
];

test("only the last results are sent in full; the task, the order and the caller's history stay [X-03]", async () => {
  const before = JSON.stringify(history);
  const inner = fixedClient("ok");

  await withRetention(inner, { keep: 1 }).complete({ messages: history });

  const sent = inner.calls[0]?.messages ?? [];
  const omitted = "Tool result is omitted to save tokens.";
  expect(sent).toHaveLength(history.length);
  expect(sent[1]).toEqual(history[1]);
  expect(sent[3]?.parts).toEqual([{ type: "tool-result", callId: "1", content: omitted }]);
  expect(sent[5]?.parts).toEqual([{ type: "tool-result", callId: "2", content: omitted }]);
  expect(sent[6]).toEqual(history[6]);
  expect(JSON.stringify(history)).toBe(before);
});

test.each([
  [-1, []],
  [0, [3, 5, 6]],
  [2, [3]],
  [9, []],
])("keeping %i results empties messages %j", (keep, emptied) => {
  const kept = retained(history, { keep });

  expect(kept.flatMap((message, index) => (message === history[index] ? [] : [index]))).toEqual(emptied);
});

test("pairs go together: no call is left without a result, no result without its call", () => {
  const isResult = ({ role }: Message): boolean => role === "tool";
  const all = [
    ...history,
    assistant([{ type: "tool-call", id: "3", name: "f", arguments: "{}" }]),
    toolResult("3", "third"),
  ];

  const kept = retained(all, { keep: 0, drop: "pairs", isResult });

  const calls = kept.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : [])),
  );
  const results = kept.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : [])),
  );
  expect([calls, results]).toEqual([["1"], ["1"]]);
  expect(kept.map((message) => textOf(message))).toContain("and");
});

test("negative counts other than -1 are refused", () => {
  expect(() => retained(history, { keep: -2 })).toThrow(
    "keep: -1 for all, or a whole number from 0 on is expected, got -2",
  );
  expect(() => withRetention(fixedClient(""), { keep: 1.5 })).toThrow("keep");
});

const guard = {
  maxContextTokens: 1200,
  maxOutputTokens: 100,
  countTokens: (text: string): number => text.length,
};

test("the context is estimated from the last usage, the last question, the summary and the answer to come", () => {
  const last = usage({ uncachedInputTokens: 10, cacheReadTokens: 5, outputTokens: 7 });

  expect(estimateContext(last, [user("abc")], { ...guard, summaryPrompt: "abcde" })).toBe(
    22 + 4 + 7 + 100 + 1000,
  );
  expect(estimateContext(undefined, [], guard)).toBe(1100);
  const failing = (): never => {
    throw new Error("no encoding");
  };
  expect(estimateContext(undefined, [user("12345678")], { ...guard, countTokens: failing })).toBe(3 + 1100);
});

test("a request that would fill the context is refused, and a rolled back one fits", async () => {
  const inner = functionClient(() => ({
    content: "ok",
    usage: { uncachedInputTokens: 90, outputTokens: 5 },
  }));
  const client = contextGuarded(inner, guard);
  await client.complete(hello);

  await expect(
    client.complete({ messages: [user("a"), assistant("b"), user("0123456789")] }),
  ).rejects.toMatchObject({
    kind: "token-limit",
    message: "The context would be full: 1210 of 1200 tokens.",
  });
  const exact = contextGuarded(inner, { ...guard, maxContextTokens: 1100 + 7 });
  await expect(exact.complete(hello)).rejects.toMatchObject({ kind: "token-limit" });
  expect(rolledBack([user("a"), assistant("b"), user("c")])).toEqual([user("a")]);
  expect(rolledBack([user("a")])).toEqual([]);
  expect(rolledBack([])).toEqual([]);
  expect(inner.calls).toHaveLength(1);
});
