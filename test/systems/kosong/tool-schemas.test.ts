import { expect, test } from "vitest";
import { findSchemaFault } from "../../../src/systems/kosong/json-schema.ts";

const each = (keywords: string, value: unknown, at = ""): (readonly [schema: object, place: string])[] =>
  keywords.split(" ").map((keyword) => [{ [keyword]: value }, `/${keyword}${at}`]);

test.each<readonly [schema: unknown, place: string]>([
  [{ type: "objekt" }, "/type"],
  [{ type: ["string", "text"] }, "/type"],
  [{ type: [] }, "/type"],
  [{ type: ["null", "boolean", "integer", "number", "array", "object", "text"] }, "/type"],
  [{ required: [1] }, "/required/0"],
  [{ required: ["a", "a"] }, "/required"],
  [{ dependentRequired: { a: [1] } }, "/dependentRequired/a/0"],
  [{ multipleOf: 0 }, "/multipleOf"],
  ...each("enum required", "a"),
  ...each("dependentRequired multipleOf", []),
  ...each("pattern", "("),
  ...each("pattern", String.raw`a\-b`),
  ...each("additionalProperties contains else if items not propertyNames then", 1),
  ...each("unevaluatedItems unevaluatedProperties", 1),
  ...each("$defs definitions dependentSchemas properties patternProperties", { a: 1 }, "/a"),
  ...each("$defs definitions dependentSchemas properties patternProperties", 1),
  ...each("allOf anyOf oneOf prefixItems", [{}, 1], "/1"),
  ...each("allOf anyOf oneOf prefixItems", []),
  ...each("allOf anyOf oneOf prefixItems", 1),
  ...each("maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties", -1),
  ...each("maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties", 1.5),
  ...each("maximum minimum exclusiveMaximum exclusiveMinimum", "1"),
  ...each("$id $ref $anchor $schema $comment title description format pattern", 1),
  ...each("uniqueItems deprecated readOnly writeOnly", 1),
])("%j is no JSON Schema: the fault is at %s", (schema, place) => {
  expect(findSchemaFault(schema)).toMatch(new RegExp(` at ${place.replaceAll("$", String.raw`\$`)}$`, "u"));
});

test("a schema is an object or a boolean, of values that JSON has", () => {
  expect(findSchemaFault(5)).toBe('Instance type "number" is invalid. Expected "object", "boolean"');
  expect(findSchemaFault({ default: Number.NaN })).toBe("JSON cannot hold NaN at #.default");
});

test.each<readonly [schema: unknown]>([
  [true],
  [false],
  [{}],
  [{ type: ["null", "boolean", "integer", "number", "array", "object", "string"] }],
  [{ type: "object", properties: { a: { type: ["string", "null"], minLength: 0 } }, required: [] }],
  [{ multipleOf: 0.1, minimum: -1, pattern: "^a$", uniqueItems: true, enum: [], title: "", anyOf: [true] }],
  [{ "x-own": 1, constructor: 1, default: "anything" }],
])("%j is a JSON Schema", (schema) => {
  expect(findSchemaFault(schema)).toBeUndefined();
});
