import { assert, constantFrom, integer, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { characterSet, runsIn } from "../../../src/core/secrets/runs.ts";

describe("runs of characters of one sort", () => {
  it("are those that a regular expression finds, wherever they stand", () => {
    const texts = string({ unit: constantFrom("a", "b", " ", "é"), maxLength: 60 });
    assert(
      property(texts, integer({ min: 1, max: 6 }), (text, least) => {
        const expected = [...text.matchAll(new RegExp(`[ab]{${least},}`, "g"))].map(([run]) => run);
        const found = [...runsIn(text, characterSet(/[ab]/), least)];
        expect(found.map(({ from, to }) => text.slice(from, to))).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });
});
