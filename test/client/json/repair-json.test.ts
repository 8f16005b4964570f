import * as fc from "fast-check";
import { expect, test } from "vitest";
import { repairGrowingObject, repairObject } from "../../../src/client/json/repair-json.ts";

const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });

test("every beginning of an object's text is an object, and the whole text is that object [AS-10]", () => {
  fc.assert(
    fc.property(objects, fc.nat(), (object, cut) => {
      const text = JSON.stringify(object);
      const beginning = repairObject(text.slice(0, cut % (text.length + 1))).value;

      expect(typeof beginning).toBe("object");
      expect(repairObject(text)).toEqual({ value: JSON.parse(text), found: "whole" });
    }),
  );
});

test("while a text grows, every step is an object, and the last one is the whole", () => {
  fc.assert(
    fc.property(objects, (object) => {
      const text = JSON.stringify(object);
      let before = {};
      for (let end = 1; end < text.length; end += 1) {
        const now = repairGrowingObject(text.slice(0, end), before).value;
        before = now;
      }

      expect(repairGrowingObject(text, before).value).toEqual(JSON.parse(text));
    }),
    { numRuns: 15 },
  );
});

test.each([
  [
    "names that objects are born with",
    '{"__proto__": {"a": 1}, "constructor": 2',
    ["__proto__", "constructor"],
  ],
  ["a hundred thousand brackets", `{"a": ${"[".repeat(100_000)}`, ["a"]],
  ["half of a character beyond U+FFFF", '{"a": "\\ud83d', ["a"]],
])("%s do no harm", (_, text, names) => {
  const { value } = repairObject(text);

  expect(Object.keys(value)).toEqual(names);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(JSON.stringify(value)).not.toContain("\\ud83d");
});

test("a long text is read in time that grows with it", () => {
  const text = `{"a": "${'he said "so" and '.repeat(20_000)}`;

  const { value } = repairObject(text);

  expect(String(value["a"]).startsWith('he said "so" and')).toBe(true);
});
