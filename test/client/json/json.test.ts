import { expect, test } from "vitest";
import { parsePythonJson } from "../../../src/client/json/python-json.ts";
import { listSchemaFaults } from "../../../src/client/json/schema-check.ts";
import { parseArguments } from "../../../src/client/index.ts";

/** Texts of `json.loads` of CPython 3.11, run once by hand. */
const FAULTS: readonly (readonly [text: string, fault: string])[] = [
  ["{bad", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"],
  ['{"a":1,}', "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)"],
  ["[1,]", "Expecting value: line 1 column 4 (char 3)"],
  ['"a', "Unterminated string starting at: line 1 column 1 (char 0)"],
  ['{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"],
  ["1 2", "Extra data: line 1 column 3 (char 2)"],
  ['"\\x"', "Invalid \\escape: line 1 column 2 (char 1)"],
  ['"\\u12"', "Invalid \\uXXXX escape: line 1 column 3 (char 2)"],
  ['{"a":1 "b"}', "Expecting ',' delimiter: line 1 column 8 (char 7)"],
  ["", "Expecting value: line 1 column 1 (char 0)"],
  ["\ufeff{}", "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)"],
  ['{"😀":\n x}', "Expecting value: line 2 column 2 (char 7)"],
];

test.each(FAULTS)("%j is no JSON, in Python's words", (text, fault) => {
  expect(() => parsePythonJson(text)).toThrow(fault);
});

test("Python's JSON takes NaN and, unless strict, raw controls", () => {
  expect(parsePythonJson("[NaN, -Infinity, 1e3, true]")).toEqual([
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    1000,
    true,
  ]);
  expect(parsePythonJson('{"a": "x\ny"}', { strict: false })).toEqual({ a: "x\ny" });
  expect(() => parsePythonJson('{"a": "x\ny"}')).toThrow(
    "Invalid control character at: line 1 column 9 (char 8)",
  );
  expect(parsePythonJson('{"__proto__": {"x": 1}}')).toHaveProperty(["__proto__"], { x: 1 });
});

test("nesting without end is an error and no crash", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  const fault = /Nested too deeply/;

  expect(() => parsePythonJson("[".repeat(100_000))).toThrow(fault);
  expect(() => parsePythonJson(nested(513))).toThrow(fault);
  expect(() => parsePythonJson(`[[], ${nested(512)}]`)).toThrow(fault);
  expect(parsePythonJson(` [${"[],".repeat(600)} ${nested(511)}]`)).toHaveLength(601);
});

test("arguments are an object, and an empty one when missing; other values are refused with their type", () => {
  const call = (written: string): unknown => parseArguments({ id: "c1", name: "f", arguments: written });

  expect([call(""), call(" "), call('{"a":"x\ty"}')]).toEqual([{}, {}, { a: "x\ty" }]);
  expect(() => call('{"a":')).toThrow(
    "the arguments of f (c1) are not JSON: Expecting value: line 1 column 6 (char 5)",
  );
  expect(() => call("[1]")).toThrow("the arguments of f (c1) are not an object: [1]");
});

/** Faults of a value with their places, as a model reads them. */
test.each<readonly [schema: unknown, value: unknown, faults: readonly string[]]>([
  [{ type: "integer" }, 1.5, ['Instance type "number" is invalid. Expected "integer"']],
  [{ properties: { "a/b": { items: { minimum: 2 } } } }, { "a/b": [1, 2] }, ["1 is less than 2 at /a~1b/0"]],
  [{ required: ["a", "b"] }, { b: 1 }, ['Instance does not have required property "a"']],
  [{ $ref: "#/$defs/N", $defs: { N: { properties: { n: { $ref: "#/$defs/N" } } } } }, { n: { n: 1 } }, []],
  [{ prefixItems: [{}], unevaluatedItems: false }, [1], []],
  [{ additionalProperties: false }, { b: 1 }, ["the value is not allowed at /b"]],
  [{ type: "string", format: "date", properties: { format: { type: "string" } } }, "no date", []],
  [{ const: { format: "json" } }, { format: "json" }, []],
  [{ enum: [{ format: "json" }] }, { format: "json" }, []],
  [{ properties: { const: { type: "string", format: "date" } } }, { const: "no date" }, []],
  [{ $ref: "#/$defs/A" }, 1, ['the schema cannot be used: Unresolved $ref "#/$defs/A".  Absolute URI']],
  [{ pattern: "(" }, "a", ["the schema cannot be used: Invalid regular expression"]],
  [{ $ref: "#" }, 1, ["the schema cannot be used: Maximum call stack size exceeded"]],
  ["none", 1, ["the schema is string, not an object"]],
])("the schema %j, given %j, reports %j", (schema, value, faults) => {
  expect(listSchemaFaults(schema, value)).toEqual(faults.map((fault) => expect.stringContaining(fault)));
});

test("a schema that is frozen is used and not changed", () => {
  const schema = Object.freeze({
    $defs: Object.freeze({ A: Object.freeze({ type: "null" }) }),
    $ref: "#/$defs/A",
  });

  expect(listSchemaFaults(schema, null)).toEqual([]);
  expect(Reflect.ownKeys(schema)).toEqual(["$defs", "$ref"]);
});
