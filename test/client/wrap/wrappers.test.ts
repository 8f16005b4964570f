import { expect, test } from "vitest";
import {
  assistant,
  chatError,
  collect,
  contextGuarded,
  estimateContext,
  fixedClient,
  functionClient,
  rolledBack,
  scriptedClient,
  tokenLimited,
  usage,
  user,
} from "../../../src/client/index.ts";

const hello = { messages: [user("hello")] };

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

const guard = {
  maxContextTokens: 1200,
  maxOutputTokens: 100,
  countTokens: (text: string): number => text.length,
};

test("the context is estimated from the last usage, the last question, the summary, and the next answer", () => {
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
