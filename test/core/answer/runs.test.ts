import { array, assert, nat, property, shuffledSubarray } from "fast-check";
import { expect, it } from "vitest";
import { CountedCalls } from "../../../src/core/answer/runs.ts";

it("counts the calls of each name by themselves, however many names there are", () => {
  assert(
    property(array(nat({ max: 60 }), { maxLength: 300, size: "max" }), (calls) => {
      const [counts, all] = [new CountedCalls(), new Map<number, number>()];
      for (const name of calls) {
        all.set(name, (all.get(name) ?? 0) + 1);
        expect(counts.count(`key ${name}`)).toBe(all.get(name));
      }
    }),
  );
});

it("returns released numbers first, the lowest of them first, and continues after the last", () => {
  const counts = new CountedCalls();
  for (let call = 0; call < 3; call += 1) counts.count("a");

  counts.free("a", 3);
  counts.free("a", 1);

  expect([1, 2, 3].map(() => counts.count("a"))).toEqual([1, 3, 4]);
  expect(counts.count("b")).toBe(1);
});

it("numbers calls of a group as they were made, in whatever order they arrive, between other calls", () => {
  const positions = Array.from({ length: 20 }, (_, at) => at + 1);
  assert(
    property(
      nat({ max: 5 }),
      shuffledSubarray(positions, { minLength: positions.length }),
      (earlier, arrivals) => {
        const counts = new CountedCalls();
        for (let call = 0; call < earlier; call += 1) counts.count("a");

        for (const position of arrivals)
          expect(counts.countInGroup("a", { id: "1", position }).ordinal).toBe(earlier + position);

        expect(counts.countInGroup("a", { id: "2", position: 1 }).ordinal).toBe(earlier + 21);
        expect(counts.count("a")).toBe(earlier + 22);
      },
    ),
  );
});

it("gives a call that is made again in its group the number that it gave back", () => {
  const counts = new CountedCalls();
  for (const position of [1, 2, 3]) counts.countInGroup("a", { id: "1", position });

  counts.free("a", 1);
  counts.free("a", 2);

  expect(counts.countInGroup("a", { id: "1", position: 2 }).ordinal).toBe(2);
  expect(counts.countInGroup("a", { id: "2", position: 2 }).ordinal).toBe(4);
  expect(counts.countInGroup("a", { id: "2", position: 1 }).ordinal).toBe(1);
});

it("gives a call whose position has a number already the lowest free one", () => {
  const counts = new CountedCalls();
  counts.countInGroup("a", { id: "1", position: 1 });

  expect(counts.countInGroup("a", { id: "1", position: 1 }).ordinal).toBe(2);
});
