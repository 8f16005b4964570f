import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createPartsTable } from "../../../../src/core/match/nearest/parts-table.ts";

it("has the parts that were set last, whatever was set and removed before, also where that was much", () => {
  const change = fc.record({
    number: fc.nat({ max: 40 }),
    parts: fc.option(fc.uint32Array({ maxLength: 600, size: "max" }), { nil: undefined }),
  });

  fc.assert(
    fc.property(fc.array(change, { maxLength: 80, size: "max" }), (changes) => {
      const table = createPartsTable();
      const expected = new Map<number, readonly number[]>();
      for (const { number, parts } of changes) {
        if (parts === undefined) table.remove(number);
        else table.set(number, parts);
        expected.set(number, Array.from(parts ?? []));
      }

      const { begins, lengths, data } = table;
      for (const [number, parts] of expected) {
        const begin = begins[number] ?? 0;
        expect(Array.from(data.subarray(begin, begin + (lengths[number] ?? 0)))).toEqual(parts);
      }
    }),
  );
});
