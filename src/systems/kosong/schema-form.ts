import { isFields } from "../../core/base/lenient.ts";
import { findNotJson, showValue, typeName } from "../../client/json/plain.ts";

/**
 * Describes the fault of an invalid JSON Schema (draft 2020-12); undefined if it is valid. Keywords that the draft does
 * not define are ignored.
 */
export function findSchemaFormFault(schema: unknown): string | undefined {
  const circle = findNotJson(schema, "#");
  return circle === undefined ? faultIn(schema, "#") : `JSON cannot hold ${circle}`;
}

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

type Form = (value: unknown, at: string) => string | undefined;

const FORMS: Readonly<Record<string, Form>> = {
  ...forEach(
    ["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"],
    faultIn,
  ),
  ...forEach(["unevaluatedItems", "unevaluatedProperties"], faultIn),
  ...forEach(["$defs", "definitions", "dependentSchemas", "properties", "patternProperties"], schemasByName),
  ...forEach(["allOf", "anyOf", "oneOf", "prefixItems"], schemaList),
  ...forEach(["maxContains", "maxItems", "maxLength", "maxProperties"], count),
  ...forEach(["minContains", "minItems", "minLength", "minProperties"], count),
  ...forEach(["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"], ofType("number")),
  ...forEach(
    ["$id", "$ref", "$anchor", "$schema", "$comment", "title", "description", "format"],
    ofType("string"),
  ),
  ...forEach(["uniqueItems", "deprecated", "readOnly", "writeOnly"], ofType("boolean")),
  type: typeFault,
  enum: ofType("array"),
  required: textList,
  dependentRequired: (value, at) => memberFault(value, at, textList),
  multipleOf: (value, at) =>
    typeof value === "number" && value > 0
      ? undefined
      : `${at} is ${showValue(value)}, and not a number above 0`,
  pattern: (value, at) => (isPattern(value) ? undefined : `${at} is no regular expression`),
};

function faultIn(schema: unknown, at: string): string | undefined {
  if (typeof schema === "boolean") return undefined;
  if (!isFields(schema)) return `${at} is ${showValue(schema)}, and not of type 'object', 'boolean'`;
  for (const [keyword, value] of Object.entries(schema)) {
    const form = Object.hasOwn(FORMS, keyword) ? FORMS[keyword] : undefined;
    const fault = form?.(value, `${at}/${keyword}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function typeFault(value: unknown, at: string): string | undefined {
  const types: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = types.find((type) => !TYPES.some((known) => known === type));
  if (types.length === 0) return `${at} is empty`;
  return wrong === undefined
    ? undefined
    : `${at} is ${showValue(wrong)}, and the types are ${TYPES.join(", ")}`;
}

function schemasByName(value: unknown, at: string): string | undefined {
  return memberFault(value, at, faultIn);
}

function memberFault(value: unknown, at: string, form: Form): string | undefined {
  if (!isFields(value)) return `${at} is ${showValue(value)}, and not of type 'object'`;
  for (const [name, item] of Object.entries(value)) {
    const fault = form(item, `${at}/${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function schemaList(value: unknown, at: string): string | undefined {
  if (!Array.isArray(value) || value.length === 0)
    return `${at} is ${showValue(value)}, and not a list of schemas`;
  return value
    .map((item: unknown, index) => faultIn(item, `${at}/${index}`))
    .find((fault) => fault !== undefined);
}

function textList(value: unknown, at: string): string | undefined {
  const fine = Array.isArray(value) && value.every((item) => typeof item === "string");
  return fine && new Set(value).size === value.length ? undefined : `${at} is no list of different texts`;
}

function count(value: unknown, at: string): string | undefined {
  const fine = typeof value === "number" && Number.isInteger(value) && value >= 0;
  return fine ? undefined : `${at} is ${showValue(value)}, and not a whole number from 0 on`;
}

function ofType(type: string): Form {
  return (value, at) =>
    typeName(value) === type ? undefined : `${at} is ${showValue(value)}, and not of type '${type}'`;
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === "string" && new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

function forEach(keywords: readonly string[], form: Form): Record<string, Form> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, form]));
}
