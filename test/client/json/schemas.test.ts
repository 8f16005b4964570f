import { expect, test } from "vitest";
import { listSchemaFaults } from "../../../src/client/json/schema-check.ts";
import { findSchemaFormFault } from "../../../src/systems/kosong/schema-form.ts";

/** Each fault of a value in the words that a model or a user reads, with its place. */
test.each<readonly [schema: unknown, value: unknown, faults: readonly string[]]>([
  [{ minimum: 1 }, 0, ["0 is less than the minimum of 1"]],
  [{ minimum: 1 }, 1, []],
  [{ maximum: 1 }, 2, ["2 is greater than the maximum of 1"]],
  [{ maximum: 1 }, 1, []],
  [{ exclusiveMinimum: 1 }, 1, ["1 is less than or equal to the minimum of 1"]],
  [{ exclusiveMinimum: 1 }, 1.1, []],
  [{ exclusiveMaximum: 1 }, 1, ["1 is greater than or equal to the maximum of 1"]],
  [{ exclusiveMaximum: 1 }, 0.9, []],
  [{ multipleOf: 3 }, 7, ["7 is not a multiple of 3"]],
  [{ minLength: 2 }, "a", ["'a' is too short"]],
  [{ maxLength: 1 }, "ab", ["'ab' is too long"]],
  [{ minItems: 1 }, [], ["[] is too short"]],
  [{ minItems: 1 }, [1], []],
  [{ maxItems: 1 }, [1, 2], ["[1,2] is too long"]],
  [{ maxItems: 2 }, [1, 2], []],
  [{ maxItems: 0 }, "text", []],
  [{ minProperties: 1 }, {}, ["{} does not have enough properties"]],
  [{ minProperties: 1 }, { a: 1 }, []],
  [{ maxProperties: 0 }, { a: 1 }, ['{"a":1} has too many properties']],
  [{ maxProperties: 1 }, { a: 1 }, []],
  [{ maxProperties: 0 }, [1], []],
  [{ pattern: "^a" }, "b", ["'b' does not match '^a'"]],
  [{ pattern: "(" }, "b", ["'b' does not match '('"]],
  [{ pattern: "^.$" }, "😀", []],
  [{ uniqueItems: false }, [1, 1], []],
  [{ uniqueItems: true }, [1, 1], ["[1,1] has non-unique elements"]],
  [{ uniqueItems: true }, [[1], [2], { a: 1 }, { a: 1, b: 1 }, { b: 1 }], []],
  [{ uniqueItems: true }, [[], { length: 0 }, { 0: "x" }, "x", null], []],
  [{ type: "array" }, {}, ["{} is not of type 'array'"]],
  [{ type: "integer" }, 1.5, ["1.5 is not of type 'integer'"]],
  [{ type: ["array", "null"] }, null, []],
  [{ enum: ["a", 1] }, 2, ['2 is not one of ["a",1]']],
  [{ const: null }, 0, ["null was expected"]],
  [{ const: { a: [1] } }, { a: [1] }, []],
  [{ const: { a: 1 } }, { b: 1 }, ['{"a":1} was expected']],
  [{ const: [1, 2] }, [1], ["[1,2] was expected"]],
  [
    { prefixItems: [{ type: "string" }, { type: "null" }] },
    [1, 2, 3],
    ["1 is not of type 'string' at /0", "2 is not of type 'null' at /1"],
  ],
  [{ prefixItems: [{}], items: { type: "null" } }, [1, 2], ["2 is not of type 'null' at /1"]],
  [{ items: { type: "null" } }, [null, 2], ["2 is not of type 'null' at /1"]],
  [{ items: { type: "null" } }, "text", []],
  [{ contains: { type: "null" } }, [1], ["[1] contains 0 items matching the given schema"]],
  [
    { contains: { type: "null" }, minContains: 2 },
    [null, 1],
    ["[null,1] contains 1 items matching the given schema"],
  ],
  [{ contains: { type: "null" }, minContains: 0 }, [], []],
  [
    { contains: { type: "null" }, maxContains: 1 },
    [null, null],
    ["[null,null] contains 2 items matching the given schema"],
  ],
  [{ contains: { type: "null" } }, {}, []],
  [{ required: ["a", "b"] }, { b: 1 }, ["'a' is a required property"]],
  [{ properties: { "a/b": { type: "null" } } }, { "a/b": 1, c: 1 }, ["1 is not of type 'null' at /a~1b"]],
  [
    { properties: { a: { properties: { b: { type: "null" } } } } },
    { a: { b: 1 } },
    ["1 is not of type 'null' at /a/b"],
  ],
  [{ patternProperties: { "^x": { type: "null" } } }, { xa: 1, ax: 1 }, ["1 is not of type 'null' at /xa"]],
  [
    { additionalProperties: { type: "null" }, properties: { a: {} } },
    { a: 1, b: 2 },
    ["2 is not of type 'null' at /b"],
  ],
  [
    { additionalProperties: false },
    { a: 1, b: 2 },
    ["Additional properties are not allowed ('a', 'b' were unexpected)"],
  ],
  [{ additionalProperties: false }, {}, []],
  [{ propertyNames: { minLength: 2 } }, { a: 1 }, ["'a' is too short"]],
  [{ dependentRequired: { a: ["b", "c"] } }, { a: 1, c: 1 }, ["'b' is a dependency of 'a'"]],
  [{ dependentRequired: { a: ["b"] } }, { c: 1 }, []],
  [{ dependentSchemas: { a: { required: ["b"] } } }, { a: 1 }, ["'b' is a required property"]],
  [{ dependentSchemas: { a: { required: ["b"] } } }, { c: 1 }, []],
  [
    { allOf: [{ minimum: 1 }, { minimum: 2 }] },
    0,
    ["0 is less than the minimum of 1", "0 is less than the minimum of 2"],
  ],
  [{ anyOf: [{ minimum: 1 }, { type: "null" }] }, 0, ["0 is not valid under any of the given schemas"]],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, ["3 is valid under 2 of the given schemas"]],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 0, ["0 is not valid under any of the given schemas"]],
  [{ not: {} }, "a", ["'a' should not be valid"]],
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
  [{ if: { type: "null" }, then: { type: "string" } }, 1, []],
  [{ if: { type: "null" }, else: { type: "string" } }, 1, ["1 is not of type 'string'"]],
  [false, 1, ["1 is not allowed"]],
  [{ properties: { a: false } }, { a: "x" }, ["'x' is not allowed at /a"]],
  [true, 1, []],
  ["none", 1, ["the schema is none"]],
  [{ unknown: 1 }, 1, []],
  [{ $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "null" } } }, 1, ["1 is not of type 'null'"]],
  [{ $ref: "#/$defs/a~01", $defs: { "a~1": { type: "null" } } }, 1, ["1 is not of type 'null'"]],
  [{ $ref: "#/allOf/1", allOf: [{}, { type: "null" }] }, null, []],
  [{ $ref: "#/$defs/%C3%A9", $defs: { é: { type: "null" } } }, 1, ["1 is not of type 'null'"]],
  [{ $ref: "#/%zz" }, 1, ["the reference #/%zz leads nowhere"]],
  [{ $ref: "https://example.test/x" }, 1, ["the reference https://example.test/x leads nowhere"]],
  [{ $ref: "x/$defs", $defs: { type: "null" } }, 1, ["the reference x/$defs leads nowhere"]],
  [
    { $dynamicRef: "#n", $defs: { N: { $dynamicAnchor: "n", type: "null" } } },
    1,
    ["1 is not of type 'null'"],
  ],
  [{ $ref: "#n", anyOf: [{}, { $anchor: "n", type: "null" }] }, 1, ["1 is not of type 'null'"]],
  [{ $ref: "#/toString" }, 1, ["the reference #/toString leads nowhere"]],
])("the schema %j, given %j, reports %j", (schema, value, faults) => {
  expect(listSchemaFaults(schema, value)).toEqual(faults);
});

const UNSEEN = { unevaluatedProperties: false };
const MORE = { unevaluatedItems: false };

/** What counts as looked at: own properties, patterns, and the parts that the value fits. */
test.each<readonly [schema: object, value: unknown, faults: readonly string[]]>([
  [{ ...UNSEEN, properties: { a: {} } }, { a: 1, b: 1 }, ["the property 'b' was unexpected"]],
  [{ ...UNSEEN, patternProperties: { "^a": {} } }, { ab: 1, b: 1 }, ["the property 'b' was unexpected"]],
  [{ ...UNSEEN, additionalProperties: {} }, { a: 1 }, []],
  [
    { ...UNSEEN, anyOf: [{ properties: { a: { type: "null" } } }, {}] },
    { a: 1 },
    ["the property 'a' was unexpected"],
  ],
  [{ ...UNSEEN, anyOf: [{ properties: { a: {} } }] }, { a: 1 }, []],
  [{ ...UNSEEN, oneOf: [{ properties: { a: {} } }] }, { a: 1 }, []],
  [{ ...UNSEEN, allOf: [{ additionalProperties: true }] }, { a: 1 }, []],
  [{ ...UNSEEN, allOf: [{ unevaluatedProperties: true }] }, { a: 1 }, []],
  [{ ...UNSEEN, allOf: [{ allOf: [{ properties: { a: {} } }] }] }, { a: 1 }, []],
  [
    { ...UNSEEN, $ref: "#/$defs/A", $defs: { A: { properties: { a: {} } } } },
    { a: 1, b: 1 },
    ["the property 'b' was unexpected"],
  ],
  [
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword is called so
    { ...UNSEEN, if: { required: ["a"] }, then: { properties: { a: {} } }, else: { properties: { b: {} } } },
    { a: 1, b: 1 },
    ["the property 'b' was unexpected"],
  ],
  [{ ...UNSEEN, if: { required: ["a"] }, else: { properties: { b: {} } } }, { b: 1 }, []],
  [{ ...UNSEEN, if: { properties: { a: {} } } }, { a: 1 }, []],
  [
    { ...UNSEEN, dependentSchemas: { a: { properties: { a: {} } }, b: { properties: { c: {} } } } },
    { a: 1, c: 1 },
    ["the property 'c' was unexpected"],
  ],
  [{ unevaluatedProperties: { type: "null" } }, { a: null, b: 1 }, ["the property 'b' was unexpected"]],
  [UNSEEN, [1], []],
  [{ ...MORE, prefixItems: [{}] }, [1, 2, 3], ["the item 1 was unexpected", "the item 2 was unexpected"]],
  [{ ...MORE, items: {} }, [1, 2], []],
  [{ ...MORE, allOf: [{ items: {} }] }, [1, 2], []],
  [{ ...MORE, allOf: [{ unevaluatedItems: true }] }, [1, 2], []],
  [
    { ...MORE, prefixItems: [{}], anyOf: [{ prefixItems: [{}, {}] }] },
    [1, 2, 3],
    ["the item 2 was unexpected"],
  ],
  [{ unevaluatedItems: { type: "null" } }, [null, 1], ["the item 1 was unexpected"]],
  [MORE, { a: 1 }, []],
  [MORE, [1], ["the item 0 was unexpected"]],
  [{ properties: { a: UNSEEN } }, { a: { b: 1 } }, ["the property 'b' was unexpected at /a"]],
])("what %j leaves unevaluated of %j: %j", (schema, value, faults) => {
  expect(listSchemaFaults(schema, value)).toEqual(faults);
});

const SCHEMA = "and not of type 'object', 'boolean'";
const TYPES = "and the types are array, boolean, integer, null, number, object, string";

test.each<readonly [schema: unknown, fault: string]>([
  [5, `# is 5, ${SCHEMA}`],
  [{ type: "objekt" }, `#/type is "objekt", ${TYPES}`],
  [{ type: ["string", "text"] }, `#/type is "text", ${TYPES}`],
  [{ type: [] }, "#/type is empty"],
  [{ enum: "a" }, `#/enum is "a", and not of type 'array'`],
  [{ required: "a" }, "#/required is no list of different texts"],
  [{ required: [1] }, "#/required is no list of different texts"],
  [{ required: ["a", "a"] }, "#/required is no list of different texts"],
  [{ dependentRequired: { a: [1] } }, "#/dependentRequired/a is no list of different texts"],
  [{ dependentRequired: [] }, "#/dependentRequired is [], and not of type 'object'"],
  [{ multipleOf: 0 }, "#/multipleOf is 0, and not a number above 0"],
  [{ multipleOf: "1" }, '#/multipleOf is "1", and not a number above 0'],
  [{ pattern: "(" }, "#/pattern is no regular expression"],
  [{ pattern: 1 }, "#/pattern is no regular expression"],
  [{ pattern: String.raw`a\-b` }, "#/pattern is no regular expression"],
  ...["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"].map(
    (keyword) => [{ [keyword]: 1 }, `#/${keyword} is 1, ${SCHEMA}`] as const,
  ),
  ...["unevaluatedItems", "unevaluatedProperties"].map(
    (keyword) => [{ [keyword]: 1 }, `#/${keyword} is 1, ${SCHEMA}`] as const,
  ),
  ...["$defs", "definitions", "dependentSchemas", "properties", "patternProperties"].flatMap(
    (keyword) =>
      [
        [{ [keyword]: { a: 1 } }, `#/${keyword}/a is 1, ${SCHEMA}`],
        [{ [keyword]: 1 }, `#/${keyword} is 1, and not of type 'object'`],
      ] as const,
  ),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].flatMap(
    (keyword) =>
      [
        [{ [keyword]: [{}, 1] }, `#/${keyword}/1 is 1, ${SCHEMA}`],
        [{ [keyword]: [] }, `#/${keyword} is [], and not a list of schemas`],
        [{ [keyword]: 1 }, `#/${keyword} is 1, and not a list of schemas`],
      ] as const,
  ),
  ...["Contains", "Items", "Length", "Properties"].flatMap((what) =>
    ["max", "min"].flatMap(
      (end) =>
        [
          [{ [end + what]: -1 }, `#/${end}${what} is -1, and not a whole number from 0 on`],
          [{ [end + what]: 1.5 }, `#/${end}${what} is 1.5, and not a whole number from 0 on`],
        ] as const,
    ),
  ),
  ...["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"].map(
    (keyword) => [{ [keyword]: "1" }, `#/${keyword} is "1", and not of type 'number'`] as const,
  ),
  ...["$id", "$ref", "$anchor", "$schema", "$comment", "title", "description", "format"].map(
    (keyword) => [{ [keyword]: 1 }, `#/${keyword} is 1, and not of type 'string'`] as const,
  ),
  ...["uniqueItems", "deprecated", "readOnly", "writeOnly"].map(
    (keyword) => [{ [keyword]: 1 }, `#/${keyword} is 1, and not of type 'boolean'`] as const,
  ),
  [{ title: 1, type: "objekt" }, "#/title is 1, and not of type 'string'"],
  [{ default: Number.NaN }, "JSON cannot hold NaN at #.default"],
])("%j is no JSON Schema: %s", (schema, fault) => {
  expect(findSchemaFormFault(schema)).toBe(fault);
});

test.each<readonly [schema: unknown]>([
  [true],
  [false],
  [{}],
  [{ type: "object", properties: { a: { type: ["string", "null"], minLength: 0 } }, required: [] }],
  [{ multipleOf: 0.1, minimum: -1, pattern: "^a$", uniqueItems: true, enum: [], title: "", anyOf: [true] }],
  [{ "x-own": 1, constructor: 1, default: "anything" }],
])("%j is a JSON Schema", (schema) => {
  expect(findSchemaFormFault(schema)).toBeUndefined();
});
