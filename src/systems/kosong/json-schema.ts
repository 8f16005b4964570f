import { expectObject } from "../../client/check-options.ts";
import { type Fields, isFields } from "../../core/base/lenient.ts";
import { resolveRef } from "../../client/json/schema-place.ts";
import { isOfType } from "../../client/json/schema-check.ts";
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
  expectObject(schema, "schema");
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
  return TYPES.find((type) => values.every((value) => isOfType(type, value))) ?? "string";
}
