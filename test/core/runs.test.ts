import { array, assert, nat, property } from "fast-check";
import { expect, it } from "vitest";
import { CountedCalls } from "../../src/core/runs.ts";

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

it("gives numbers that were given back first, the lowest of them first, and goes on after the last", () => {
  const counts = new CountedCalls();
  for (let call = 0; call < 3; call += 1) counts.count("a");

  counts.free("a", 3);
  counts.free("a", 1);

  expect([1, 2, 3].map(() => counts.count("a"))).toEqual([1, 3, 4]);
  expect(counts.count("b")).toBe(1);
});
