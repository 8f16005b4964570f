import { expect, it } from "vitest";
import { readRuledRequest } from "../../../../src/core/match/read-request.ts";
import {
  hasRules,
  planRules,
  createTextUnder,
  type PlannedMiss,
} from "../../../../src/core/match/rules/plan-rules.ts";
import { loadPatterns } from "../../../../src/core/match/rules/patterns.ts";
import { createRulesQuestion } from "../../../../src/core/view/rules-plan-text.ts";
import { createMemoryStore } from "../../../../src/storage/memory-store.ts";
import { OTHER_QUESTIONS } from "../../../fixtures/other-questions.ts";
import { aRecording } from "../../../support/a-recording.ts";

/** Recordings of these questions, and what plans rules for misses beside them. */
async function recorded(questions: readonly string[]) {
  const store = createMemoryStore();
  const entries = new Map<string, string>();
  for (const question of questions) {
    const { entry } = await store.save(aRecording({ question, provider: providerOf(question) }));
    entries.set(question, entry);
  }
  const missed = (question: string, nearest: string, times = 1): PlannedMiss => {
    const { provider, operation, request } = aRecording({ question, provider: providerOf(question) });
    const entry = entries.get(nearest) ?? "";
    return { miss: { provider, operation, request, nearest: { entry } as never }, times };
  };
  return { missed, plan: (all: readonly PlannedMiss[]) => planRules(all, { store, normalize: undefined }) };
}

const providerOf = (question: string): string => (question.startsWith("Groq") ? "groq" : "openai");

it("makes one rule for several providers and places, and describes its purpose and its effects", async () => {
  const { missed, plan } = await recorded([
    "Hello on 2026-01-02",
    "Groq on 2026-01-02, pid 12",
    "Bye on 2026-01-09",
  ]);

  const planned = await plan([
    missed("Hello on 2026-02-03", "Hello on 2026-01-02", 3),
    missed("Groq on 2026-02-03, pid 13", "Groq on 2026-01-02, pid 12"),
    missed("Tell me a joke", "Hello on 2026-01-02"),
  ]);

  expect(planned).toMatchObject({ matched: 4, misses: 5, covered: 2, differences: 3, renamed: 1 });
  expect(planned.rules).toMatchObject([
    { rule: { replace: "$isoDate", provider: expect.arrayContaining(["openai", "groq"]) }, misses: 4 },
    { rule: { replace: "$pid", provider: ["groq"] }, misses: 1 },
  ]);
  expect(planned.left).toMatchObject([{ place: "/messages/*/content", misses: 1 }]);
  expect(planned.refused).toEqual([]);
  const { message, detail, add } = createRulesQuestion(planned);
  expect([message, add]).toEqual(["Add these 2 rules to tapedeck.jsonc?", "Add Rules"]);
  expect(detail).toContain("Matches 4 of 5 missing calls.");
  expect(detail).toContain("2 of 3 differences are covered. Not covered:\n  /messages/*/content (1 miss)");
  expect(detail).toContain("1 other recording will be renamed");
});

it("knows from the nearest recording alone whether there is a rule", async () => {
  const ask = (question: string) => aRecording({ question });
  const missed = (question: string): PlannedMiss => ({ miss: ask(question), times: 1 });
  const nearest = ask("Hello on 2026-01-02");

  expect(await hasRules(missed("Hello on 2026-02-03"), nearest, undefined)).toBe(true);
  expect(await hasRules(missed("Tell me a joke"), nearest, undefined)).toBe(false);
});

it("finds the rule for a recording without origins, although the missed call's value has one", async () => {
  const { missed, plan } = await recorded(["Today is 2026-01-02", "Bye"]);
  const { miss, times } = missed("Today is 2026-11-27", "Today is 2026-01-02");
  const values = [{ text: "2026-11-27", origin: "now: YYYY-#-#" }];

  const planned = await plan([{ miss: { ...miss, request: { ...miss.request, values } }, times }]);

  expect(planned.rules).toMatchObject([{ rule: { replace: "$isoDate" }, misses: 1 }]);
  expect(planned.matched).toBe(1);
});

it("orders rules so that none consumes a part of another one's match", async () => {
  const asked = ["Room V1StGXR8_Z5jdHi6B-myT", "In /tmp/k3J9xQ2pL7/a.py", "In /tmp/x/b.py"];
  const { missed, plan } = await recorded(asked);

  const planned = await plan([
    missed("Room 3z4kQmP0_aB7cDx9Y-LrW", asked[0] ?? ""),
    missed("In /tmp/plainname/a.py", asked[1] ?? ""),
    missed("In /tmp/y/b.py", asked[2] ?? ""),
  ]);

  expect(planned.rules).toMatchObject([
    { rule: { replace: "$tempFolder" }, misses: 2 },
    { rule: { replace: "$randomId" }, misses: 1 },
  ]);
});

it("leaves no question out, also when nothing else is recorded that a rule would make it one with", async () => {
  const { missed, plan } = await recorded(["Tell me a joke"]);

  const planned = await plan([missed("Explain monads", "Tell me a joke"), missed("Hi", "Tell me a joke")]);

  expect([planned.rules, planned.matched, planned.misses]).toEqual([[], 0, 2]);
});

it("proposes nothing under which two recordings are one call, and names both", async () => {
  const { missed, plan } = await recorded(["Order 2026-01-02?", "Order 2026-01-03?"]);

  const planned = await plan([missed("Order 2026-01-04?", "Order 2026-01-03?")]);

  expect([planned.rules, planned.matched]).toEqual([[], 0]);
  const { message, detail, add } = createRulesQuestion(planned);
  expect([message, add]).toEqual(["No rule is proposed for 1 missing call.", undefined]);
  expect(detail).toContain(planned.refused[0]?.recording);
  expect(detail).toContain(planned.refused[0]?.other);
});

it("proposes nothing under which another question gets a recorded answer", async () => {
  const { missed, plan } = await recorded(["Today is 2026-01-02.", "Born on 1969-07-20?"]);

  const planned = await plan([
    { ...missed("Today is 2026-11-25.", "Today is 2026-01-02."), at: MUCH_LATER },
    { ...missed("Born on 1989-11-09?", "Born on 1969-07-20?"), at: MUCH_LATER },
  ]);

  expect(planned).toMatchObject({
    rules: [],
    refused: [{ rule: { replace: "$isoDate" }, other: undefined }],
  });
  expect(createRulesQuestion(planned).detail).toContain("would answer a call with a different request");
});

it("reports that the nearest recording is gone", async () => {
  const { missed, plan } = await recorded(["Hello"]);

  expect(createRulesQuestion(await plan([missed("Hello", "gone since")])).message).toBe(
    "No rule is proposed for 1 missing call.",
  );
});

/** All of these were recorded at the moment of `aRecording`. */
const MUCH_LATER = Date.parse("2026-11-25T18:30:00Z");
const MINUTES_LATER = Date.parse("2026-01-02T03:10:00Z");

it.each([MUCH_LATER, MINUTES_LATER])(
  "merges none of many pairs of different questions with volatile values beside them (%d)",
  async (at) => {
    const day = new Date(at).toISOString().slice(0, 10);
    const volatile = [
      ["Today is 2026-01-02. Plan a trip.", `Today is ${day}. Plan a trip.`],
      ["Log of pid 12: it crashed.", "Log of pid 13: it crashed."],
    ] as const;
    const all = [...OTHER_QUESTIONS, ...volatile];
    const { missed, plan } = await recorded([...new Set(all.map(([before]) => before))]);

    const together = await plan(all.map(([before, asked]) => ({ ...missed(asked, before), at })));
    const alone = await Promise.all(
      OTHER_QUESTIONS.map(async ([before, asked]) => {
        const own = await recorded([before]);
        return own.plan([{ ...own.missed(asked, before), at }]);
      }),
    );

    const compile = await loadPatterns();
    const merged = OTHER_QUESTIONS.filter(([before, asked], index) => {
      const [one, other] = [before, asked].map((question) =>
        readRuledRequest(aRecording({ question }), undefined),
      );
      return [together, alone[index]].some((planned) => {
        const textOf = createTextUnder(
          (planned?.rules ?? []).map(({ rule }) => rule),
          compile,
        );
        return one !== undefined && other !== undefined && textOf(one) === textOf(other);
      });
    });
    console.log(`▸ ${OTHER_QUESTIONS.length} pairs of different questions: ${merged.length} made one`);
    expect(merged).toEqual([]);
    expect(together.rules).toMatchObject([{ rule: { replace: "$pid" } }]);
  },
);
