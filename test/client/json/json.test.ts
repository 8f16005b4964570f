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

/** Schema, what fits, what does not and why. */
const SCHEMAS: readonly (readonly [
  name: string,
  schema: unknown,
  good: readonly unknown[],
  bad: readonly unknown[],
  says: RegExp,
])[] = [
  ["type", { type: "integer" }, [1, 1.0], ["1", 1.5, null], /is not of type 'integer'/],
  ["types", { type: ["string", "null"] }, ["a", null], [1], /'string', 'null'/],
  ["enum", { enum: ["a", { b: 1 }] }, ["a", { b: 1 }], ["c"], /is not one of/],
  ["const", { const: [1] }, [[1]], [[2]], /was expected/],
  ["minimum", { minimum: 0, exclusiveMaximum: 5 }, [0, 4.9, "x"], [-1, 5], /minimum of 0|maximum of 5/],
  ["multipleOf", { multipleOf: 0.01 }, [0.03, 4.35, 1], [0.035], /not a multiple of/],
  ["lengths by code point", { minLength: 2, maxLength: 2 }, ["😀😀"], ["😀", "abc"], /too short|too long/],
  ["pattern", { pattern: "^a+$" }, ["aa", 1], ["ab"], /does not match/],
  [
    "items",
    { prefixItems: [{ type: "string" }], items: { type: "number" } },
    [["a", 1], []],
    [[1], ["a", "b"]],
    /at \/[01]/,
  ],
  [
    "uniqueItems",
    { uniqueItems: true },
    [[1, 2, "1"]],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    ],
    /non-unique/,
  ],
  ["contains", { contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[2], [1, 1]], /contains/],
  ["required", { required: ["b"] }, [{ b: 1 }, 3], [{}], /'b' is a required property/],
  [
    "additionalProperties",
    { properties: { a: {} }, patternProperties: { "^x": {} }, additionalProperties: false },
    [{ a: 1, xy: 2 }],
    [{ b: 1 }],
    /Additional properties are not allowed \('b' was unexpected\)/,
  ],
  ["propertyNames", { propertyNames: { maxLength: 1 } }, [{ a: 1 }], [{ ab: 1 }], /too long/],
  [
    "dependentRequired",
    { dependentRequired: { a: ["b"] } },
    [{ a: 1, b: 1 }, {}],
    [{ a: 1 }],
    /'b' is a dependency of 'a'/,
  ],
  ["anyOf", { anyOf: [{ type: "string" }, { minimum: 3 }] }, ["a", 3], [1], /not valid under any/],
  ["oneOf", { oneOf: [{ minimum: 1 }, { minimum: 3 }] }, [2], [0, 4], /not valid under any|under 2/],
  ["not", { not: { type: "null" } }, [1], [null], /should not be valid/],
  [
    "if",
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
    { if: { type: "string" }, then: { minLength: 1 }, else: { minimum: 1 } },
    ["a", 1],
    ["", 0],
    /too short|minimum/,
  ],
  [
    "a recursive reference",
    {
      $ref: "#/$defs/N",
      $defs: { N: { properties: { n: { $ref: "#/$defs/N" } }, additionalProperties: false } },
    },
    [{ n: { n: {} } }],
    [{ n: { m: 1 } }],
    /at \/n/,
  ],
  [
    "an anchor",
    { $ref: "#here", $defs: { X: { $anchor: "here", type: "string" } } },
    ["a"],
    [1],
    /not of type/,
  ],
  ["a reference to itself", { $ref: "#" }, [1], [], /./],
  ["a reference to nowhere", { $ref: "#/$defs/None" }, [], [1], /leads nowhere/],
  [
    "unevaluatedProperties",
    { allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    [{ a: 1 }],
    [{ b: 1 }],
    /'b' was unexpected/,
  ],
  [
    "unevaluatedItems",
    { allOf: [{ prefixItems: [{}] }], unevaluatedItems: false },
    [[1]],
    [[1, 2]],
    /item 1 was unexpected/,
  ],
  ["false", false, [], [1], /is not allowed/],
  [
    "names of every object's prototype",
    { properties: { toString: { type: "string" } }, required: ["constructor"] },
    [{ constructor: 1 }],
    [{}],
    /'constructor' is a required/,
  ],
];

test.each(SCHEMAS)(
  "a schema with %s accepts valid values and describes invalid ones",
  (...[, schema, good, bad, says]) => {
    expect(good.flatMap((value) => listSchemaFaults(schema, value))).toEqual([]);
    for (const value of bad) expect(listSchemaFaults(schema, value).join("; ")).toMatch(says);
  },
);
