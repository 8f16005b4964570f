import * as fc from "fast-check";
import { expect, test } from "vitest";
import { repairGrowingObject, repairJson, repairObject } from "../../../src/client/json/repair-json.ts";
import { goldenFile } from "../golden.ts";

const golden = goldenFile("json-repair");

golden.test("damaged JSON is what json_repair makes of it, whole and while it grows [MF-25, AS-10]", {
  run: ({ input }) => ({
    whole: repairJson(input.text) ?? "nothing",
    growing: repairObject(input.text).value,
  }),
});
golden.done();

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
  ["a hundred thousand brackets", `{"a": ${"[".repeat(100_000)}`, []],
  ["half of a character beyond U+FFFF", '{"a": "\\ud83d', ["a"]],
])("%s do no harm", (_, text, names) => {
  const { value } = repairObject(text);

  expect(Object.keys(value)).toEqual(names);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(JSON.stringify(value)).not.toContain("\\ud83d");
});

test("a long text is read in time that grows with it", () => {
  const texts = [
    `{"a": "${'he said "so" and '.repeat(20_000)}`,
    `{"a": b${", b".repeat(50_000)}`,
    `{"a": "${'\\"x'.repeat(50_000)}`,
    `[{${'"a": 1, '.repeat(20_000)}`,
  ];

  const read = texts.map((text) => [repairObject(text).found, typeof repairJson(text)]);

  expect(read).toEqual([
    ["repaired", "object"],
    ["repaired", "object"],
    ["repaired", "object"],
    ["other", "object"],
  ]);
});

test.each([
  ['{"a": 5.', 5],
  ['{"a": -1', -1],
  ['{"a": -', ""],
  ['{"a": .5}', 0.5],
  ['{"a": +1}', 1],
  ['{"a": 1-2}', "1-2"],
])("a number in %s is read as json_repair reads it [AS-10]", (text, value) => {
  expect(repairObject(text).value).toEqual({ a: value });
});
