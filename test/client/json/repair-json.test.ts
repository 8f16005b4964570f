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
      expect(repairObject(text)).toMatchObject({ value: JSON.parse(text), found: "whole" });
    }),
  );
});

test("while a text grows, every step is an object, and the last one is the whole", () => {
  fc.assert(
    fc.property(objects, (object) => {
      const text = JSON.stringify(object);
      let before = repairObject("");
      for (let end = 1; end < text.length; end += 1) before = repairGrowingObject(text.slice(0, end), before);

      expect(repairGrowingObject(text, before).value).toEqual(JSON.parse(text));
    }),
    { numRuns: 15 },
  );
});

test.each([
  ["a number's point, which Python writes as 4.0", ['{"k": "', '{"k": 4. '], { k: 4 }],
  ["a float of many digits", ['{"k": "ab', '{"k": 1.25'], { k: 1.25 }],
  ["an int, which is shorter than the text before", ['{"k": "', '{"k": 4 '], { k: "" }],
  ["an int that is as long", ['{"k": "', '{"k": 42 '], { k: 42 }],
  ["a whole object, however short", ['{"k": "abc', "{}"], {}],
  ["a whole object before more text", ['{"k":1.0}', '{"k": ""'], { k: 1 }],
])("while a text grows, %s is weighed as it is there", (_, texts, value) => {
  let read = repairObject("");
  for (const text of texts) read = repairGrowingObject(text, read);

  expect(read.value).toEqual(value);
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

test.each<readonly [text: string, value: unknown]>([
  ['{"a":[1],[2],[3],"b":3}', { a: [1, 2, 3], b: 3 }],
  ['{"a":[1],[2]\n,\n[3]}', { a: [1, 2, 3] }],
  ['{"a":[1],[2][3]}', { a: [1, 2, 3] }],
  ['{"a":[1],[[2,3]],[[4],[5]]}', { a: [1, 2, 3, [4], [5]] }],
  ['[{"a":[1],[2],"a":3}]', [{ a: [1, 2] }, { a: 3 }]],
  ['{"a":1,[2],"b":3}', { a: 1, '2],"b': 3 }],
  ['[ "a" : 1 ]', ["a", 1]],
  ["{ : 'a' : 1}", { a: 1 }],
])("lists and names without what belongs around them: %s", (text, value) => {
  expect(repairJson(text)).toEqual(value);
});

test("300 levels are read and no deeper ones, for any number of siblings", () => {
  expect(JSON.stringify(repairJson(`${"[".repeat(300)}1`))).toBe(`${"[".repeat(300)}1${"]".repeat(300)}`);
  expect(repairJson(`${"[".repeat(301)}1`)).toBeUndefined();
  expect(repairJson(`[${"{},[],[1],".repeat(400)}`)).toEqual(Array.from({ length: 400 }, () => [1]));
});

test("the length of an object is that of its text in Python, or of the text itself if it is nested too deeply", () => {
  const deep = `{"a":${"[".repeat(9000)}${"]".repeat(9000)}}`;

  expect(["5", '{"a":1}', deep].map((text) => repairObject(text).length)).toEqual([2, 8, deep.length]);
});
