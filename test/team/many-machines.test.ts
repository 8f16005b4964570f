import { expect, it } from "vitest";
import { casesOf } from "../support/cases.ts";
import { ask, aTeam, type Machine } from "./a-team.ts";

const MACHINES = 8;
const CALLS = casesOf({ quick: 12, long: 500 });

/** Everybody makes all calls, some at once, each beginning elsewhere. */
async function askAll({ deck }: Machine, from: number): Promise<ReadonlyMap<string, string>> {
  const run = deck.createRun("record");
  const texts = new Map<string, string>();
  const words = Array.from({ length: CALLS }, (_, index) => `call ${(index + from) % CALLS}`);
  const worker = async (): Promise<void> => {
    for (let word = words.shift(); word !== undefined; word = words.shift())
      texts.set(word, (await ask(deck, run, word)).text);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return texts;
}

it("8 machines that record the same calls at once pay each once or twice, lose none, and see takes in one order", async () => {
  const team = await aTeam();
  const machines = Array.from({ length: MACHINES }, () => team.machine({ writes: true }));

  const told = await Promise.all(machines.map((machine, index) => askAll(machine, index % 2)));
  await Promise.all(machines.map((machine) => machine.close()));

  expect(machines.flatMap(({ warnings }) => warnings)).toEqual([]);
  const paid = countedBy(team.upstream.words);
  expect(paid.size).toBe(CALLS);
  expect(Math.max(...paid.values())).toBeLessThanOrEqual(2);
  // Whoever was answered was answered with what the cache has, and everybody else gets the same from now on.
  const later = [...machines.map((machine) => machine.again()), team.machine()];
  const after = await Promise.all(
    later.map((machine) =>
      machine.ask("strict", ...Array.from({ length: CALLS }, (_, index) => `call ${index}`)),
    ),
  );
  expect(later.flatMap(({ warnings }) => warnings)).toEqual([]);
  const texts = after.map((all) => all.map(({ text }) => text));
  expect(new Set(texts.map((all) => JSON.stringify(all))).size).toBe(1);
  expect(after.flat().filter(({ outcome }) => outcome !== "replayed")).toEqual([]);
  expect(told.map(({ size }) => size)).toEqual(machines.map(() => CALLS));
});

it("of two that recorded the same call without knowing of each other, neither is lost, in one order everywhere", async () => {
  const team = await aTeam();
  const [one, two] = [team.machine({ writes: true }), team.machine({ writes: true })];
  const [made] = await one.ask("record", "hi");
  // What the other had looked for before, it did not find.
  const own = await one.deck.store.read(made?.entry ?? "");
  const second = { ...own, recordedAt: "2026-02-03T04:05:06.789Z" };
  await two.deck.store.save(second, 1);
  await Promise.all([one.close(), two.close()]);

  const times = await Promise.all(
    [two.again(), team.machine()].map(async ({ deck }) => {
      await deck.store.settle(own.provider, own.key);
      const takes = deck.store.takes(own.provider, own.key);
      return Promise.all(takes.map(async ({ entry }) => (await deck.store.read(entry)).recordedAt));
    }),
  );

  expect(times).toEqual([
    [own.recordedAt, second.recordedAt],
    [own.recordedAt, second.recordedAt],
  ]);
});

function countedBy(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
