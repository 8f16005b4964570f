import { type Fields, isFields } from "../../core/protocol/reading/lenient.ts";
import { KEYWORDS, matches } from "./schema-keywords.ts";
import { faultAt, fits, inside, quoteValue, resolveRef, type SchemaPlace } from "./schema-place.ts";

/**
 * What is wrong with a value by a JSON Schema (draft 2020-12), in words; empty where it fits. `format` and `content…`
 * are notes, as the draft has it by default. References are looked up inside the schema alone.
 */
export function schemaFaults(schema: unknown, value: unknown): readonly string[] {
  return check({ root: schema, schema, value, at: "", followed: [], check });
}

function check(place: SchemaPlace): readonly string[] {
  const { schema } = place;
  if (schema === true) return [];
  if (schema === false) return [faultAt(place, `${quoteValue(place.value)} is not allowed`)];
  if (!isFields(schema)) return [faultAt(place, "the schema is none")];
  const faults = Object.entries(schema).flatMap(([keyword, wanted]) => {
    if (keyword === "$ref" || keyword === "$dynamicRef") return referenceFaults(place, wanted);
    const rule = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    return rule === undefined ? [] : rule(wanted, place, schema);
  });
  return [...faults, ...unevaluatedFaults(place, schema)];
}

function referenceFaults(place: SchemaPlace, wanted: unknown): readonly string[] {
  const ref = String(wanted);
  if (place.followed.includes(ref)) return [];
  const target = resolveRef(place.root, ref);
  if (target === undefined) return [faultAt(place, `the reference ${ref} leads nowhere`)];
  return check({ ...place, schema: target, followed: [...place.followed, ref] });
}

/** `unevaluatedProperties` and `unevaluatedItems`: what no other keyword of the schema and its fitting parts looked at. */
function unevaluatedFaults(place: SchemaPlace, schema: Fields): readonly string[] {
  const { value } = place;
  if ("unevaluatedProperties" in schema && isFields(value)) {
    const seen = seenNames(place, schema);
    const left = Object.keys(value).filter((name) => seen !== "all" && !seen.has(name));
    return left
      .filter((name) => !fits(inside(place, name, schema["unevaluatedProperties"], value[name])))
      .map((name) => faultAt(place, `the property '${name}' was unexpected`));
  }
  if ("unevaluatedItems" in schema && Array.isArray(value)) {
    const seen = seenItems(place, schema);
    return value
      .map((item: unknown, index) => ({ item, index }))
      .filter(({ index }) => index >= seen)
      .filter(({ item, index }) => !fits(inside(place, index, schema["unevaluatedItems"], item)))
      .map(({ index }) => faultAt(place, `the item ${index} was unexpected`));
  }
  return [];
}

function seenNames(place: SchemaPlace, schema: Fields): ReadonlySet<string> | "all" {
  if ("additionalProperties" in schema) return "all";
  const names = isFields(place.value) ? Object.keys(place.value) : [];
  const own = isFields(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  const patterns = isFields(schema["patternProperties"]) ? Object.keys(schema["patternProperties"]) : [];
  const seen = new Set(own);
  for (const name of names) if (patterns.some((pattern) => matches(pattern, name))) seen.add(name);
  for (const part of fittingParts(place, schema)) {
    if ("unevaluatedProperties" in part) return "all";
    const inner = seenNames(place, part);
    if (inner === "all") return "all";
    for (const name of inner) seen.add(name);
  }
  return seen;
}

function seenItems(place: SchemaPlace, schema: Fields): number {
  const own = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"].length : 0;
  const inner = fittingParts(place, schema).map((part) =>
    "unevaluatedItems" in part ? Number.POSITIVE_INFINITY : seenItems(place, part),
  );
  return "items" in schema ? Number.POSITIVE_INFINITY : Math.max(own, ...inner);
}

/** The schemas that apply to the same value and that it fits. */
function fittingParts(place: SchemaPlace, schema: Fields): readonly Fields[] {
  const lists = [schema["allOf"], schema["anyOf"], schema["oneOf"]].flatMap((list) =>
    Array.isArray(list) ? (list as readonly unknown[]) : [],
  );
  const ref = schema["$ref"];
  const followed = typeof ref === "string" && !place.followed.includes(ref);
  const chosen = "if" in schema && fits({ ...place, schema: schema["if"] }) ? ["if", "then"] : ["else"];
  const dependent = isFields(schema["dependentSchemas"]) ? Object.entries(schema["dependentSchemas"]) : [];
  const parts = [
    ...lists,
    ...("if" in schema ? chosen.map((keyword) => schema[keyword]) : []),
    ...dependent.filter(([name]) => isFields(place.value) && name in place.value).map(([, part]) => part),
    ...(followed ? [resolveRef(place.root, ref)] : []),
  ];
  return parts.filter(isFields).filter((part) => fits({ ...place, schema: part }));
}
