import { anEngine, aRun, chatCall, chatReply } from "../support/an-engine.ts";
import { createNotAllowedToPay } from "../../src/core/answer/budget/limits.ts";
import { seeded, type Random } from "../support/seeded.ts";
import type { Torture } from "./torture.ts";

const TOKENS_A_CALL = 7;
const DOLLARS_A_CALL = (5 * 0.15 + 2 * 0.6) / 1e6;

export const budgets: Torture = {
  name: "runs that want to spend too much",
  promise: "no call is sent beyond a limit, or without leave",
  quick: 30,
  short: 300,
  long: 20_000,
  async run({ seed, cases }) {
    const random = seeded(seed);
    const failures: string[] = [];
    let sent = 0;
    for (let at = 0; at < cases; at += 1) {
      const one = await aRunOf(random);
      sent += one.sent;
      if (one.fault !== undefined) failures.push(`run ${at}: ${one.fault}`);
    }
    return { cases, failures, note: `${sent} calls were sent` };
  },
};

/** A run with calls one by one or in parallel, a limit of one kind, and sometimes a person who refuses. */
async function aRunOf(random: Random): Promise<{ readonly sent: number; readonly fault?: string }> {
  const most = Math.floor(random() * 8);
  const kind = random();
  const limits =
    kind < 0.34
      ? { calls: most }
      : kind < 0.67
        ? { tokens: most * TOKENS_A_CALL }
        : { costUsd: most * DOLLARS_A_CALL };
  const isDeclined = random() < 0.2;
  const isAsked = isDeclined || random() < 0.5;
  const under = anEngine(() => chatReply("hello"), {
    budget: {
      limits: () => limits,
      ...(isAsked && {
        async beforePaidCall({ provider }) {
          await new Promise((resolve) => setImmediate(resolve));
          return isDeclined ? createNotAllowedToPay(provider) : undefined;
        },
      }),
    },
  });
  const run = aRun(random() < 0.5 ? "record" : "live");
  const together = 1 + Math.floor(random() * 6);
  for (let asked = 0; asked < 12; asked += together) {
    const calls = Array.from({ length: together }, (_, index) => chatCall(run, `${asked} ${index}`));
    const answers = await Promise.all(calls.map((call) => under.engine.answer(call)));
    // To the last byte, and no further: that is when a client makes its next call.
    for (const { reply } of answers)
      if (!(reply.body instanceof Uint8Array)) for await (const chunk of reply.body) void chunk;
  }
  const { length } = under.sent;
  const allowed = isDeclined ? 0 : most;
  return length > allowed
    ? { sent: length, fault: `${length} calls were sent where ${allowed} were allowed` }
    : length < Math.min(allowed, 12)
      ? { sent: length, fault: `only ${length} calls were sent where ${allowed} were allowed` }
      : { sent: length };
}
