import { type Fields, isFields } from "../../core/base/lenient.ts";
import { findNotJson, typeName } from "../../client/json/plain.ts";
import { listSchemaFaults, resolveRef } from "../../client/json/schema-check.ts";
import { chatError } from "../../client/errors.ts";

/**
 * Returns the schema with its local references resolved. The target's fields override those beside a reference.
 * Definitions are removed unless a schema refers to itself: then that reference and the definitions stay.
 * @throws ChatError "validation": `Unable to resolve reference path: …`
 */
export function dereference(schema: Fields): Fields {
  let circular = false;
  const resolve = (value: unknown, above: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => resolve(item, above));
    if (!isFields(value)) return value;
    const { $ref: ref } = value;
    const rest = (from: Fields): Fields =>
      Object.fromEntries(Object.entries(from).map(([name, item]) => [name, resolve(item, above)]));
    if (typeof ref !== "string" || !ref.startsWith("#")) return rest(value);
    if (above.includes(ref)) {
      circular = true;
      return value;
    }
    const target = resolveRef(schema, ref);
    if (target === undefined)
      throw chatError("validation", `Unable to resolve reference path: ${ref}`, { where: "schema" });
    const { $ref: _, ...beside } = value;
    const written = resolve(target, [...above, ref]);
    return isFields(written) ? { ...rest(beside), ...written } : written;
  };
  const whole = resolve(schema, []);
  if (!isFields(whole)) return schema;
  if (circular) return whole;
  const { $defs: _defs, definitions: _definitions, ...bare } = whole;
  return bare;
}

const COMBINATORS = ["$ref", "anyOf", "oneOf", "allOf", "not", "if", "then", "else"];
const OBJECT_WORDS = [
  "properties",
  "additionalProperties",
  "patternProperties",
  "propertyNames",
  "required",
  "minProperties",
  "maxProperties",
];
const ARRAY_WORDS = ["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"];
const STRING_WORDS = ["minLength", "maxLength", "pattern", "format"];
const NUMBER_WORDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/** Adds a `type` to every property's schema that has none. The root schema is not changed. */
export function ensurePropertyTypes(schema: Fields): Fields {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, withTypes(keyword, value)]),
  );
}

/** Adds types to the schemas inside a keyword's value. */
function withTypes(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case "properties":
      if (!isFields(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, ensureType(item)]));
    case "anyOf":
    case "oneOf":
    case "allOf":
      return Array.isArray(value) ? value.map(ensureType) : value;
    case "items":
      return Array.isArray(value) ? value.map(ensureType) : ensureType(value);
    case "additionalProperties":
      return ensureType(value);
    default:
      return value;
  }
}

function ensureType(schema: unknown): unknown {
  if (!isFields(schema)) return schema;
  const inner = ensurePropertyTypes(schema);
  if ("type" in schema || COMBINATORS.some((word) => word in schema)) return inner;
  return { ...inner, type: typeOf(schema) };
}

function typeOf(schema: Fields): string {
  if (Array.isArray(schema["enum"]) && schema["enum"].length > 0) return typeOfAll(schema["enum"]);
  if ("const" in schema) return typeOfAll([schema["const"]]);
  const has = (words: readonly string[]): boolean => words.some((word) => word in schema);
  if (has(OBJECT_WORDS)) return "object";
  if (has(ARRAY_WORDS)) return "array";
  if (has(STRING_WORDS)) return "string";
  return has(NUMBER_WORDS) ? "number" : "string";
}

const TYPES = ["null", "boolean", "integer", "number", "array", "object"];

function typeOfAll(values: readonly unknown[]): string {
  const isOfType = (type: string, value: unknown): boolean =>
    type === "integer" ? Number.isInteger(value) : typeName(value) === type;
  return TYPES.find((type) => values.every((value) => isOfType(type, value))) ?? "string";
}

/** Describes the first fault of an invalid JSON Schema (draft 2020-12). Unknown keywords are ignored. */
export function findSchemaFault(schema: unknown): string | undefined {
  const notJson = findNotJson(schema, "#");
  return notJson === undefined
    ? listSchemaFaults(META_SCHEMA, schema, { checksFormats: true })[0]
    : `JSON cannot hold ${notJson}`;
}

const SCHEMA = { $ref: "#" };
const SCHEMA_LIST = { type: "array", minItems: 1, items: SCHEMA };
const TEXT_LIST = { type: "array", items: { type: "string" }, uniqueItems: true };
const TYPE_NAMES = { enum: [...TYPES, "string"] };

/** The keywords of the draft by the schema of their value. */
const META_SCHEMA: Fields = {
  type: ["object", "boolean"],
  properties: {
    ...forEach("additionalProperties contains else if items not propertyNames then", SCHEMA),
    ...forEach("unevaluatedItems unevaluatedProperties", SCHEMA),
    ...forEach("$defs definitions dependentSchemas properties patternProperties", membersOf(SCHEMA)),
    ...forEach("allOf anyOf oneOf prefixItems", SCHEMA_LIST),
    ...forEach("maxContains maxItems maxLength maxProperties", { type: "integer", minimum: 0 }),
    ...forEach("minContains minItems minLength minProperties", { type: "integer", minimum: 0 }),
    ...forEach("maximum minimum exclusiveMaximum exclusiveMinimum", { type: "number" }),
    ...forEach("$id $ref $anchor $schema $comment title description format", { type: "string" }),
    ...forEach("uniqueItems deprecated readOnly writeOnly", { type: "boolean" }),
    type: { anyOf: [TYPE_NAMES, { type: "array", minItems: 1, items: TYPE_NAMES }] },
    enum: { type: "array" },
    pattern: { type: "string", format: "regex" },
    required: TEXT_LIST,
    dependentRequired: membersOf(TEXT_LIST),
    multipleOf: { type: "number", exclusiveMinimum: 0 },
  },
};

function forEach(keywords: string, schema: Fields): Fields {
  return Object.fromEntries(keywords.split(" ").map((keyword) => [keyword, schema]));
}

function membersOf(schema: Fields): Fields {
  return { type: "object", additionalProperties: schema };
}
