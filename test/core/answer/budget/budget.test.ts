import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { BudgetRules, PaidCall } from "../../../../src/core/answer/budget/budget.ts";
import { createNotAllowedToPay } from "../../../../src/core/answer/budget/limits.ts";
import type { CallEvent, Mode } from "../../../../src/core/call/call.ts";
import { createEngineFetch } from "../../../../src/core/answer/fetch.ts";
import { createFindingsOfCall } from "../../../../src/core/view/finding.ts";
import { createProviders } from "../../../../src/core/protocol/registry.ts";
import { beginStretch } from "../../../../src/core/answer/runs.ts";
import type { IncomingReply } from "../../../../src/core/answer/source/source.ts";
import {
  anEngine,
  aRun,
  chatCall,
  chatEvent,
  chatReply,
  DONE,
  streamReply,
  textOf,
} from "../../../support/an-engine.ts";

type Budget = Omit<BudgetRules, "warn">;

/** Asks these questions one after the other, each to its end. */
async function asked(
  questions: readonly string[],
  { mode = "record", reply, ...budget }: Budget & { mode?: Mode; reply?: () => IncomingReply } = {},
) {
  const under = anEngine(reply, { budget });
  const run = aRun(mode);
  const texts: string[] = [];
  for (const question of questions) {
    const answer = await under.engine.answer(chatCall(run, question));
    texts.push(`${answer.reply.status} ${await textOf(answer)}`);
    await answer.settled;
  }
  return { ...under, run, texts };
}

const outcomes = (events: readonly CallEvent[]): readonly string[] => events.map(({ outcome }) => outcome);

describe("what a run spent", () => {
  it("is reported with each call that left the machine, and with no other", async () => {
    const { events, engine } = await asked(["a", "b"]);
    await engine.answer(chatCall(aRun("record"), "a"));

    const one = { calls: 1, inputTokens: 5, outputTokens: 2, unpricedCalls: 0, estimatedCalls: 0 };
    expect(events.map(({ charge }) => charge)).toEqual([
      { ...one, costUsd: expect.closeTo((5 * 0.15 + 2 * 0.6) / 1e6, 12) },
      expect.objectContaining(one),
      undefined,
    ]);
    expect(events[1]?.spent).toMatchObject({ calls: 2, inputTokens: 10, outputTokens: 4 });
  });

  it("is counted from the texts when a stream does not tell", async () => {
    const reply = () => streamReply([chatEvent("x".repeat(400)), DONE]);
    const { events } = await asked(["y".repeat(80)], { reply });

    expect(events[0]?.charge).toMatchObject({ inputTokens: 20, outputTokens: 100, estimatedCalls: 1 });
  });

  it("has no cost when a price is unknown, and counts the calls without a price", async () => {
    const under = anEngine();
    const answer = await under.engine.answer(chatCall(aRun("live"), "a", { model: "of-my-own" }));

    expect((await answer.settled).charge?.()).toMatchObject({ costUsd: 0, unpricedCalls: 1, inputTokens: 5 });
  });

  it("prefers the user's own prices", async () => {
    const { events } = await asked(["a"], { prices: () => ({ "gpt-4o-mini": { input: 1e6, output: 0 } }) });

    expect(events[0]?.charge?.costUsd).toBe(5);
  });

  it("counts a failed call, without tokens, and no call that was never sent", async () => {
    const failed = await asked(["a"], { reply: () => chatReply("no", 500) });
    const unreachable = await asked(["a"], {
      reply: () => {
        throw new Error("no route");
      },
    });
    const signed = anEngine();
    const headers = [["authorization", "AWS4-HMAC-SHA256 x"]] as const;
    await signed.engine.answer(chatCall(aRun("live"), "a", {}, { headers }));

    expect(failed.run.spent.total).toMatchObject({ calls: 1, inputTokens: 0 });
    expect(unreachable.events[0]).toMatchObject({ charge: { calls: 1 }, spent: { calls: 1 } });
    expect(signed.events[0]?.spent).toBeUndefined();
  });
});

describe("a limit", () => {
  it.each(["record", "refresh", "live"] as const)("on calls holds in %s mode", async (mode) => {
    const { sent, events, texts } = await asked(["a", "b", "c"], { mode, limits: () => ({ calls: 2 }) });

    expect(sent).toHaveLength(2);
    expect(events[2]).toMatchObject({ outcome: "refused", spent: { calls: 2 } });
    expect(texts[2]).toMatch(/^402 /);
    expect(texts[2]).toContain(
      "the limit of 2 calls per run is reached (2 calls, 14 tokens, about $0.0000039).",
    );
    expect(texts[2]).toContain("Raise the limit with --max-calls");
  });

  it("on tokens holds, and so does one on cost", async () => {
    const tokens = await asked(["a", "b", "c"], { limits: () => ({ tokens: 8 }) });
    const cost = await asked(["a", "b", "c"], { limits: () => ({ costUsd: 0.000_003 }) });

    expect(outcomes(tokens.events)).toEqual(["recorded", "recorded", "refused"]);
    expect(outcomes(cost.events)).toEqual(["recorded", "recorded", "refused"]);
    expect([tokens.texts[2], cost.texts[2]].join()).toMatch(/--max-tokens.*--max-cost/s);
  });

  it("is not passed by calls at the same time", async () => {
    const under = anEngine(undefined, { budget: { limits: () => ({ calls: 3 }) } });
    const run = aRun("live");

    await Promise.all(Array.from({ length: 20 }, (_, at) => under.engine.answer(chatCall(run, `${at}`))));

    expect(under.sent).toHaveLength(3);
  });

  it("leaves what is recorded alone", async () => {
    const { engine, events } = await asked(["a"], { limits: () => ({ calls: 1 }) });
    const run = aRun("record");

    for (const question of ["a", "b", "c", "a"]) await engine.answer(chatCall(run, question));

    expect(outcomes(events)).toEqual(["recorded", "replayed", "recorded", "refused", "replayed"]);
  });

  it("begins at nothing with a new stretch, and counts late answers for the old one", async () => {
    const { engine, run, sent } = await asked(["a"], { limits: () => ({ calls: 1 }) });
    const before = run.spent;

    beginStretch(run);
    const answer = await engine.answer(chatCall(run, "b"));

    expect(answer.outcome).toBe("recorded");
    expect(sent).toHaveLength(2);
    expect(before.total.calls).toBe(1);
  });

  it("may be raised while a run is under way", async () => {
    const limits = { calls: 1 };
    const { engine, run } = await asked(["a"], { limits: () => limits });

    limits.calls = 2;
    const answer = await engine.answer(chatCall(run, "b"));

    expect(answer.outcome).toBe("recorded");
  });

  it("makes an official SDK fail once, with the text", async () => {
    const providers = createProviders();
    const under = anEngine(undefined, { budget: { limits: () => ({ calls: 0 }) }, providers });
    const fetch = createEngineFetch(under.engine, providers, aRun("record"));
    const openai = new OpenAI({ apiKey: "sk-x", fetch, maxRetries: 5 });
    const anthropic = new Anthropic({ apiKey: "sk-x", fetch, maxRetries: 5 });
    const messages = [{ role: "user" as const, content: "hi" }];

    await expect(openai.chat.completions.create({ model: "gpt-4o", messages })).rejects.toThrow(
      /0 calls per run/,
    );
    await expect(
      anthropic.messages.create({ model: "claude-haiku-4-5", max_tokens: 9, messages }),
    ).rejects.toThrow(/0 calls per run/);

    expect(outcomes(under.events)).toEqual(["refused", "refused"]);
    expect(under.sent).toEqual([]);
  });
});

describe("a call that may be paid for", () => {
  it("waits for leave, and is refused in the provider's shape when there is none", async () => {
    const calls: PaidCall[] = [];
    const { texts, sent, run } = await asked(["a"], {
      beforePaidCall: async (call) => (calls.push(call), createNotAllowedToPay(call.provider)),
    });

    expect(calls).toEqual([{ provider: "openai", model: "gpt-4o-mini", scope: run.spent }]);
    expect(JSON.parse((texts[0] ?? "").slice("402 ".length))).toMatchObject({
      error: { code: "tapedeck_budget" },
    });
    expect([sent, run.spent.total.calls]).toEqual([[], 0]);
  });

  it("does not include local or replayed calls", async () => {
    const beforePaidCall = async (): Promise<never> => {
      throw new Error("nobody asks");
    };
    const local = createProviders({ openai: "http://127.0.0.1:9" });
    const under = anEngine(undefined, { providers: local, budget: { beforePaidCall } });
    const run = aRun("record");

    const recorded = await under.engine.answer(chatCall(run, "a"));
    const replayed = await under.engine.answer(chatCall(aRun("strict"), "a"));

    expect([recorded.outcome, replayed.outcome]).toEqual(["recorded", "replayed"]);
  });

  it("ends with its client, also while a person is asked, and is not sent after a yes", async () => {
    const client = new AbortController();
    const { engine, events, sent } = anEngine(undefined, {
      budget: {
        async beforePaidCall() {
          client.abort();
          await new Promise(setImmediate);
          return undefined;
        },
      },
    });

    await engine.answer(chatCall(aRun("record"), "a", {}, { signal: client.signal }));

    expect(sent).toEqual([]);
    expect(events[0] && createFindingsOfCall(events[0], "editor")[0]).toMatchObject({
      kind: "failed",
      brief: "timed out",
      why: "The client closed the connection before you answered whether to send a paid call; nothing was recorded.",
      fix: "Answer the question, and record again.",
      repair: "again",
    });
  });

  it("is not asked about when the limit is reached", async () => {
    const calls: PaidCall[] = [];
    await asked(["a"], {
      limits: () => ({ calls: 0 }),
      beforePaidCall: async (call) => void calls.push(call),
    });

    expect(calls).toEqual([]);
  });
});
