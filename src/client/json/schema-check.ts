import { type Fields, isFields } from "../../core/base/lenient.ts";
import {
  describeSchemaFault,
  enterSchemaPlace,
  quoteValue,
  resolveRef,
  type SchemaPlace,
  isOneOf,
  isSameJson,
} from "./schema-place.ts";
import { countCodePoints } from "../code-points.ts";
import { typeName } from "./plain.ts";

/**
 * Checks a value against a JSON Schema (draft 2020-12) and returns its faults. `format` and `content…` are annotations,
 * the draft's default. References are resolved only inside the schema.
 */
export function listSchemaFaults(schema: unknown, value: unknown): readonly string[] {
  return check({ root: schema, schema, value, at: "", followed: [] });
}

function check(place: SchemaPlace): readonly string[] {
  const { schema } = place;
  if (schema === true) return [];
  if (schema === false) return [describeSchemaFault(place, `${quoteValue(place.value)} is not allowed`)];
  if (!isFields(schema)) return [describeSchemaFault(place, "the schema is none")];
  const faults = Object.entries(schema).flatMap(([keyword, wanted]) => {
    if (keyword === "$ref" || keyword === "$dynamicRef") return referenceFaults(place, wanted);
    const rule = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    return rule === undefined ? [] : rule(wanted, place, schema);
  });
  return [...faults, ...unevaluatedFaults(place, schema)];
}

const fits = (place: SchemaPlace): boolean => check(place).length === 0;

function referenceFaults(place: SchemaPlace, wanted: unknown): readonly string[] {
  const ref = String(wanted);
  if (place.followed.includes(ref)) return [];
  const target = resolveRef(place.root, ref);
  if (target === undefined) return [describeSchemaFault(place, `the reference ${ref} leads nowhere`)];
  return check({ ...place, schema: target, followed: [...place.followed, ref] });
}

/** Checks `unevaluatedProperties` and `unevaluatedItems`: members that no other keyword or matching subschema covers. */
function unevaluatedFaults(place: SchemaPlace, schema: Fields): readonly string[] {
  const { value } = place;
  if ("unevaluatedProperties" in schema && isFields(value)) {
    const seen = seenNames(place, schema);
    const left = Object.keys(value).filter((name) => seen !== "all" && !seen.has(name));
    return left
      .filter((name) => !fits(enterSchemaPlace(place, name, schema["unevaluatedProperties"], value[name])))
      .map((name) => describeSchemaFault(place, `the property '${name}' was unexpected`));
  }
  if ("unevaluatedItems" in schema && Array.isArray(value)) {
    const seen = seenItems(place, schema);
    return value
      .map((item: unknown, index) => ({ item, index }))
      .filter(({ index }) => index >= seen)
      .filter(({ item, index }) => !fits(enterSchemaPlace(place, index, schema["unevaluatedItems"], item)))
      .map(({ index }) => describeSchemaFault(place, `the item ${index} was unexpected`));
  }
  return [];
}

function seenNames(place: SchemaPlace, schema: Fields): ReadonlySet<string> | "all" {
  if ("additionalProperties" in schema) return "all";
  const names = namesOf(place.value);
  const seen = new Set(namesOf(schema["properties"]));
  const patterns = namesOf(schema["patternProperties"]);
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
  const own = itemsOf(schema["prefixItems"]).length;
  const inner = fittingParts(place, schema).map((part) =>
    "unevaluatedItems" in part ? Number.POSITIVE_INFINITY : seenItems(place, part),
  );
  return "items" in schema ? Number.POSITIVE_INFINITY : Math.max(own, ...inner);
}

/** Returns the subschemas for the same value that match it. */
function fittingParts(place: SchemaPlace, schema: Fields): readonly Fields[] {
  const lists = [schema["allOf"], schema["anyOf"], schema["oneOf"]].flatMap(itemsOf);
  const ref = schema["$ref"];
  const followed = typeof ref === "string" && !place.followed.includes(ref);
  const chosen = "if" in schema && fits({ ...place, schema: schema["if"] }) ? ["if", "then"] : ["else"];
  const dependent = membersOf(schema["dependentSchemas"]);
  const parts = [
    ...lists,
    ...("if" in schema ? chosen.map((keyword) => schema[keyword]) : []),
    ...dependent.filter(([name]) => isFields(place.value) && name in place.value).map(([, part]) => part),
    ...(followed ? [resolveRef(place.root, ref)] : []),
  ];
  return parts.filter(isFields).filter((part) => fits({ ...place, schema: part }));
}

type Keyword = (wanted: unknown, place: SchemaPlace, schema: Fields) => readonly string[];

const textLength = (value: unknown): number | undefined =>
  typeof value === "string" ? countCodePoints(value) : undefined;
const listLength = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined);
const memberCount = (value: unknown): number | undefined =>
  isFields(value) ? Object.keys(value).length : undefined;

/** Checks by keyword. A keyword for another type of value always passes. Source: JSON Schema 2020-12. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: (wanted, place) =>
    listOf(wanted).some((type) => isOfType(type, place.value))
      ? []
      : [
          describeSchemaFault(
            place,
            `${quoteValue(place.value)} is not of type ${listOf(wanted).map(quoteValue).join(", ")}`,
          ),
        ],
  enum: (wanted, place) =>
    isOneOf(place.value, listOf(wanted))
      ? []
      : [describeSchemaFault(place, `${quoteValue(place.value)} is not one of ${JSON.stringify(wanted)}`)],
  const: (wanted, place) =>
    isSameJson(wanted, place.value) ? [] : [describeSchemaFault(place, `${quoteValue(wanted)} was expected`)],
  minimum: numeric((value, limit) => value >= limit, "less than the minimum of"),
  maximum: numeric((value, limit) => value <= limit, "greater than the maximum of"),
  exclusiveMinimum: numeric((value, limit) => value > limit, "less than or equal to the minimum of"),
  exclusiveMaximum: numeric((value, limit) => value < limit, "greater than or equal to the maximum of"),
  multipleOf: numeric(
    (value, step) => Number.isInteger(Number((value / step).toPrecision(15))),
    "not a multiple of",
  ),
  minLength: sizeKeyword(textLength, (size, limit) => size >= limit, "is too short"),
  maxLength: sizeKeyword(textLength, (size, limit) => size <= limit, "is too long"),
  minItems: sizeKeyword(listLength, (size, limit) => size >= limit, "is too short"),
  maxItems: sizeKeyword(listLength, (size, limit) => size <= limit, "is too long"),
  minProperties: sizeKeyword(memberCount, (size, limit) => size >= limit, "does not have enough properties"),
  maxProperties: sizeKeyword(memberCount, (size, limit) => size <= limit, "has too many properties"),
  pattern: (wanted, place) =>
    typeof place.value !== "string" || matches(String(wanted), place.value)
      ? []
      : [describeSchemaFault(place, `${quoteValue(place.value)} does not match ${quoteValue(wanted)}`)],
  uniqueItems: (wanted, place) =>
    wanted === true && Array.isArray(place.value) && hasTwins(place.value)
      ? [describeSchemaFault(place, `${quoteValue(place.value)} has non-unique elements`)]
      : [],
  prefixItems: (wanted, place) =>
    itemsOf(place.value).flatMap((item, index) =>
      index < listOf(wanted).length ? check(enterSchemaPlace(place, index, listOf(wanted)[index], item)) : [],
    ),
  items: (wanted, place, schema) =>
    itemsOf(place.value).flatMap((item, index) =>
      index < listOf(schema["prefixItems"] ?? []).length
        ? []
        : check(enterSchemaPlace(place, index, wanted, item)),
    ),
  contains: containsFaults,
  required: (wanted, place) =>
    listOf(wanted)
      .filter((name) => isFields(place.value) && !Object.hasOwn(place.value, String(name)))
      .map((name) => describeSchemaFault(place, `${quoteValue(name)} is a required property`)),
  properties: (wanted, place) =>
    membersOf(place.value)
      .filter(([name]) => isFields(wanted) && Object.hasOwn(wanted, name))
      .flatMap(([name, member]) =>
        check(enterSchemaPlace(place, name, isFields(wanted) && wanted[name], member)),
      ),
  patternProperties: (wanted, place) =>
    membersOf(place.value).flatMap(([name, member]) =>
      membersOf(wanted)
        .filter(([pattern]) => matches(pattern, name))
        .flatMap(([, schema]) => check(enterSchemaPlace(place, name, schema, member))),
    ),
  additionalProperties: additionalFaults,
  propertyNames: (wanted, place) =>
    namesOf(place.value).flatMap((name) => check({ ...place, schema: wanted, value: name })),
  dependentRequired: (wanted, place) =>
    membersOf(wanted)
      .filter(([name]) => isFields(place.value) && Object.hasOwn(place.value, name))
      .flatMap(([name, needed]) =>
        listOf(needed)
          .filter((other) => isFields(place.value) && !Object.hasOwn(place.value, String(other)))
          .map((other) => describeSchemaFault(place, `${quoteValue(other)} is a dependency of '${name}'`)),
      ),
  dependentSchemas: (wanted, place) =>
    membersOf(wanted)
      .filter(([name]) => isFields(place.value) && Object.hasOwn(place.value, name))
      .flatMap(([, schema]) => check({ ...place, schema })),
  allOf: (wanted, place) => listOf(wanted).flatMap((schema) => check({ ...place, schema })),
  anyOf: (wanted, place) =>
    listOf(wanted).some((schema) => fits({ ...place, schema }))
      ? []
      : [describeSchemaFault(place, noneFits(place))],
  oneOf: (wanted, place) => {
    const count = listOf(wanted).filter((schema) => fits({ ...place, schema })).length;
    if (count === 0) return [describeSchemaFault(place, noneFits(place))];
    return count === 1
      ? []
      : [
          describeSchemaFault(
            place,
            `${quoteValue(place.value)} is valid under ${count} of the given schemas`,
          ),
        ];
  },
  not: (wanted, place) =>
    fits({ ...place, schema: wanted })
      ? [describeSchemaFault(place, `${quoteValue(place.value)} should not be valid`)]
      : [],
  if: (wanted, place, schema) => {
    const next = fits({ ...place, schema: wanted }) ? "then" : "else";
    return next in schema ? check({ ...place, schema: schema[next] }) : [];
  },
};

/** Whether a text matches a pattern; an invalid pattern matches nothing. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return false;
  }
}

/** Whether a value has a type of JSON Schema; 1.0 is an integer. */
export function isOfType(type: unknown, value: unknown): boolean {
  return type === "integer" ? Number.isInteger(value) : typeName(value) === type;
}

function additionalFaults(wanted: unknown, place: SchemaPlace, schema: Fields): readonly string[] {
  const known = new Set(namesOf(schema["properties"]));
  const patterns = namesOf(schema["patternProperties"]);
  const others = membersOf(place.value).filter(
    ([name]) => !known.has(name) && !patterns.some((pattern) => matches(pattern, name)),
  );
  if (wanted !== false || others.length === 0)
    return others.flatMap(([name, member]) => check(enterSchemaPlace(place, name, wanted, member)));
  const names = others.map(([name]) => `'${name}'`).join(", ");
  const were = others.length === 1 ? "was" : "were";
  return [describeSchemaFault(place, `Additional properties are not allowed (${names} ${were} unexpected)`)];
}

function containsFaults(wanted: unknown, place: SchemaPlace, schema: Fields): readonly string[] {
  if (!Array.isArray(place.value)) return [];
  const count = itemsOf(place.value).filter((item, index) =>
    fits(enterSchemaPlace(place, index, wanted, item)),
  ).length;
  const least = Number(schema["minContains"] ?? 1);
  const most = Number(schema["maxContains"] ?? Number.POSITIVE_INFINITY);
  if (count >= least && count <= most) return [];
  return [
    describeSchemaFault(
      place,
      `${quoteValue(place.value)} contains ${count} items matching the given schema`,
    ),
  ];
}

function numeric(holds: (value: number, limit: number) => boolean, is: string): Keyword {
  return (wanted, place) =>
    typeof place.value !== "number" || holds(place.value, Number(wanted))
      ? []
      : [describeSchemaFault(place, `${place.value} is ${is} ${String(wanted)}`)];
}

function sizeKeyword(
  size: (value: unknown) => number | undefined,
  holds: (size: number, limit: number) => boolean,
  is: string,
): Keyword {
  return (wanted, place) => {
    const found = size(place.value);
    return found === undefined || holds(found, Number(wanted))
      ? []
      : [describeSchemaFault(place, `${quoteValue(place.value)} ${is}`)];
  };
}

const noneFits = ({ value }: SchemaPlace): string =>
  `${quoteValue(value)} is not valid under any of the given schemas`;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const membersOf = (value: unknown): readonly [string, unknown][] =>
  isFields(value) ? Object.entries(value) : [];
const namesOf = (value: unknown): readonly string[] => membersOf(value).map(([name]) => name);

function hasTwins(items: readonly unknown[]): boolean {
  return items.some((item, index) => items.slice(0, index).some((other) => isSameJson(item, other)));
}
