import { describe, expect, it } from "vitest";
import type { BudgetRules } from "../../../../src/core/answer/budget/budget.ts";
import type { Limits } from "../../../../src/core/answer/budget/limits.ts";
import { beginStretch } from "../../../../src/core/answer/runs.ts";
import {
  anEngine,
  aRun,
  chatCall,
  chatEvent,
  chatReply,
  DONE,
  streamReply,
} from "../../../support/an-engine.ts";

const TOKENS_A_CALL = 7;
const DOLLARS_A_CALL = (5 * 0.15 + 2 * 0.6) / 1e6;

const longMessage = { role: "user", content: "long ".repeat(300) };

/** An upstream that answers when the test releases its calls. */
function anUpstreamThatWaits(reply = () => chatReply("hello")) {
  const pending: (() => void)[] = [];
  const seen = { most: 0 };
  const answer = async () => {
    await new Promise<void>((resolve) => {
      pending.push(resolve);
      seen.most = Math.max(seen.most, pending.length);
    });
    return reply();
  };
  return { answer, pending, seen };
}

interface Asking {
  readonly limits: Limits;
  readonly calls?: number;
  readonly more?: object;
  readonly budget?: Omit<BudgetRules, "warn">;
  readonly reply?: () => ReturnType<typeof chatReply>;
}

/** Sends calls in parallel (60 by default), answers them one by one, and returns statuses in the order of sending. */
async function inParallel({ limits, calls = 60, more = {}, budget = {}, reply }: Asking) {
  const upstream = anUpstreamThatWaits(reply);
  const under = anEngine(upstream.answer, { budget: { limits: () => limits, ...budget } });
  const run = aRun("live");
  const statuses: number[] = [];
  const over = new Set<number>();
  const all = Array.from({ length: calls }, async (_, at) => {
    const answer = await under.engine.answer(chatCall(run, `${at}`, more));
    statuses[at] = answer.reply.status;
    await answer.settled;
    over.add(at);
  });
  while (over.size < calls) {
    upstream.pending.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  return { sent: under.sent.length, together: upstream.seen.most, statuses, spent: run.spent.total };
}

describe("60 calls at the same time", () => {
  it.each([1, 8, 10, 69, 70, 71, 300])(
    "pass a limit of %i tokens by less than one of them",
    async (tokens) => {
      const { sent, statuses, spent } = await inParallel({ limits: { tokens } });

      expect(sent).toBe(Math.ceil(tokens / TOKENS_A_CALL));
      expect(spent.inputTokens + spent.outputTokens - tokens).toBeLessThan(TOKENS_A_CALL);
      expect(statuses.filter((status) => status === 402)).toHaveLength(60 - sent);
    },
  );

  it.each([0.5, 1, 22.5, 59.5])("exceed a limit worth %f calls by less than one call", async (worth) => {
    const { sent } = await inParallel({ limits: { costUsd: worth * DOLLARS_A_CALL } });

    expect(sent).toBe(Math.ceil(worth));
  });

  it("are all sent at once when the limits allow for the most that they may take", async () => {
    const { sent, together } = await inParallel({
      limits: { tokens: 100_000, costUsd: 1 },
      more: { max_tokens: 100 },
    });

    expect([sent, together]).toEqual([60, 60]);
  });

  it("are sent in parallel as far as the limits allow, and none is refused that turns out to fit", async () => {
    const { sent, together, statuses } = await inParallel({
      limits: { tokens: 2_000 },
      more: { max_tokens: 400 },
    });

    expect(sent).toBe(60);
    expect(together).toBeGreaterThan(2);
    expect(together).toBeLessThan(5);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it.each([
    ["two answers of 400 tokens", { max_completion_tokens: 400, n: 2 }, 2],
    ["900 tokens", { max_tokens: 900 }, 2],
    ["10 tokens about a long text", { messages: [longMessage], max_tokens: 10 }, 2],
    ["as much as the model answers with", {}, 1],
  ])("that ask for %s go with as many others as fit", async (_, more, together) => {
    expect((await inParallel({ limits: { tokens: 2_000 }, more })).together).toBe(together);
  });

  it("to a model without a price go one at a time until the provider reports usage", async () => {
    const told = await inParallel({
      limits: { costUsd: 10, unknownPrices: true },
      more: { model: "of-my-own" },
    });

    expect(told.sent).toBe(60);
    expect(told.together).toBe(59);
  });

  it("that fail let others continue", async () => {
    const failing = await inParallel({ limits: { tokens: 10 }, calls: 5, reply: () => chatReply("no", 500) });
    const unreachable = await inParallel({
      limits: { tokens: 10 },
      calls: 5,
      reply: () => {
        throw new Error("no route");
      },
    });

    expect([failing.sent, unreachable.sent]).toEqual([5, 5]);
    expect(new Set(unreachable.statuses)).toEqual(new Set([502]));
  });

  it("that are streams wait for the end of each other, and no longer", async () => {
    const { sent } = await inParallel({
      limits: { tokens: 10 },
      more: { stream: true },
      calls: 5,
      reply: () => streamReply([chatEvent("x".repeat(44)), DONE]),
    });

    expect(sent).toBe(1);
  });

  it("wait for no question that is answered late", async () => {
    const { sent } = await inParallel({
      limits: { tokens: 10 },
      budget: { beforePaidCall: () => new Promise((resolve) => setImmediate(() => resolve(undefined))) },
    });

    expect(sent).toBe(2);
  });
});

describe("a call that waits for others", () => {
  it("is dropped when its client leaves, and the next one is sent", async () => {
    const upstream = anUpstreamThatWaits();
    const under = anEngine(upstream.answer, { budget: { limits: () => ({ tokens: 10 }) } });
    const run = aRun("live");
    const leaving = new AbortController();
    const first = under.engine.answer(chatCall(run, "first"));
    const second = under.engine.answer(chatCall(run, "second", {}, { signal: leaving.signal }));
    const third = under.engine.answer(chatCall(run, "third"));
    await expect.poll(() => upstream.pending.length).toBe(1);

    leaving.abort();
    await second;
    upstream.pending.shift()?.();
    await first;
    await expect.poll(() => upstream.pending.length).toBe(1);
    upstream.pending.shift()?.();

    expect((await third).reply.status).toBe(200);
    expect(under.sent).toHaveLength(2);
  });

  it("does not wait for those of another stretch", async () => {
    const upstream = anUpstreamThatWaits();
    const under = anEngine(upstream.answer, { budget: { limits: () => ({ tokens: 10 }) } });
    const run = aRun("live");
    const late = under.engine.answer(chatCall(run, "late"));
    await expect.poll(() => upstream.pending.length).toBe(1);

    beginStretch(run);
    const next = under.engine.answer(chatCall(run, "next"));
    await expect.poll(() => upstream.pending.length).toBe(2);
    for (const answer of upstream.pending) answer();

    expect([(await late).reply.status, (await next).reply.status]).toEqual([200, 200]);
  });
});
