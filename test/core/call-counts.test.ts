import { array, assert, nat, property } from "fast-check";
import { expect, it } from "vitest";
import { CallCounts } from "../../src/core/call-counts.ts";

it("counts the calls of each name by themselves, however many names there are", () => {
  assert(
    property(array(nat({ max: 60 }), { maxLength: 300, size: "max" }), (calls) => {
      const [counts, all] = [new CallCounts(), new Map<number, number>()];
      for (const name of calls) {
        all.set(name, (all.get(name) ?? 0) + 1);
        expect(counts.count(counts.placeOf(`key ${name}`))).toBe(all.get(name));
      }
    }),
  );
});
