import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../src/storage/memory-store.ts";
import { aStatefulProvider } from "../../../support/a-stateful-provider.ts";
import { casesOf } from "../../../support/cases.ts";
import { pick, seeded } from "../../../support/seeded.ts";
import { play, repliesIn, type Client } from "../../../support/a-chain-client.ts";

/** One call of a random chain: a question that continues an earlier reply of its provider, or begins. */
interface Step {
  readonly provider: "openai" | "gemini";
  readonly parent: number | undefined;
  readonly text: string;
}

function aRandomTree(random: () => number): readonly Step[] {
  const steps: Step[] = [];
  const length = 3 + Math.floor(random() * 10);
  for (let at = 0; at < length; at += 1) {
    const provider = pick<Step["provider"]>(random, ["openai", "openai", "gemini"]);
    const parents = steps.flatMap((step, index) => (step.provider === provider ? [index] : []));
    const parent = random() < 0.15 ? undefined : parents[Math.floor(random() * parents.length)];
    steps.push({ provider, parent, text: `question ${at}` });
  }
  return steps;
}

const following = (steps: readonly Step[]) => async (client: Client) => {
  const ids: unknown[] = [];
  const texts: unknown[] = [];
  for (const { provider, parent, text } of steps) {
    const before = parent === undefined ? undefined : ids[parent];
    const isOpenai = provider === "openai";
    const reply = await client(
      "POST",
      isOpenai ? "/v1/responses" : "/v1beta/interactions",
      {
        model: isOpenai ? "gpt-5-mini" : "gemini-3-flash-preview",
        input: text,
        ...(before !== undefined && {
          [isOpenai ? "previous_response_id" : "previous_interaction_id"]: before,
        }),
      },
      provider,
    );
    ids.push(reply["id"]);
    texts.push(JSON.stringify(reply).match(/"text":"([^"]*)"/)?.[1] ?? reply);
  }
  return texts;
};

/** The questions that lead to a step, and its own. */
const pathTo = (steps: readonly Step[], at: number): readonly number[] => {
  const parent = steps[at]?.parent;
  return parent === undefined ? [at] : [...pathTo(steps, parent), at];
};

describe("random chains", () => {
  it("with one edited call are recorded again so that the whole test replays", async () => {
    const random = seeded(44);
    let renewed = 0;
    for (let number = 0; number < casesOf({ quick: 12, long: 500 }); number += 1) {
      const steps = aRandomTree(random);
      const [store, provider] = [createMemoryStore(), aStatefulProvider(number)];
      await play(following(steps), "record", { store, provider });
      provider.forget();
      const paid = provider.paid.length;
      const at = Math.floor(random() * steps.length);
      const edited = steps.map((step, index) => (index === at ? { ...step, text: `edited ${at}` } : step));

      const recorded = await play(following(edited), "record", { store, provider });
      const replayed = await play(following(edited), "strict", { store });

      const expected = edited.map((_, index) =>
        pathTo(edited, index)
          .map((one) => edited[one]?.text)
          .join(" | "),
      );
      expect(recorded.result, `chain ${number}`).toEqual(expected);
      expect(replayed.result, `chain ${number}`).toEqual(expected);
      expect(replayed.outcomes).toEqual(steps.map(() => "replayed"));
      // Only the edited call, what continues it, and what leads to these is paid for, each once.
      const changed = steps.flatMap((_, index) => (pathTo(steps, index).includes(at) ? [index] : []));
      const needed = new Set(changed.flatMap((index) => pathTo(steps, index)));
      const texts = [...needed].map((one) => String(edited[one]?.text));
      expect(provider.paid.slice(paid).toSorted(byText)).toEqual(texts.toSorted(byText));
      renewed += needed.size - changed.length;
    }
    expect(renewed).toBeGreaterThan(10);
  });

  it("never pay for more calls than the budget allows, and then replace nothing", async () => {
    const random = seeded(45);
    for (let number = 0; number < casesOf({ quick: 8, long: 200 }); number += 1) {
      const steps = aRandomTree(random);
      const [store, provider] = [createMemoryStore(), aStatefulProvider(number)];
      await play(following(steps), "record", { store, provider });
      const before = await repliesIn(store);
      provider.forget();
      const paid = provider.paid.length;
      const at = Math.floor(random() * steps.length);
      const edited = steps.map((step, index) => (index === at ? { ...step, text: `edited ${at}` } : step));
      const calls = 1 + Math.floor(random() * 3);

      const limited = { store, provider, budget: { limits: () => ({ calls }) } };
      await play(following(edited), "record", limited).catch(() => {});

      expect(provider.paid.length - paid).toBeLessThanOrEqual(calls);
      const isOver = pathTo(edited, at).length > calls;
      expect(isOver ? provider.paid.length : paid).toBe(paid);
      expect(isOver ? await repliesIn(store) : before).toEqual(before);
      expect((await play(following(steps), "strict", { store })).outcomes).toEqual(
        steps.map(() => "replayed"),
      );
    }
  });
});

const byText = (a: string, b: string): number => (a < b ? -1 : 1);
