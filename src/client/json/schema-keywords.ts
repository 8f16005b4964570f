import { countCodePoints } from "../code-points.ts";
import { type Fields, isFields } from "../../core/protocol/reading/lenient.ts";
import { typeName } from "./plain.ts";
import {
  faultAt,
  faultsOf,
  fits,
  inside,
  isOneOf,
  quoteValue,
  sameJson,
  type SchemaPlace,
} from "./schema-place.ts";

type Keyword = (wanted: unknown, place: SchemaPlace, schema: Fields) => readonly string[];

const textLength = (value: unknown): number | undefined =>
  typeof value === "string" ? countCodePoints(value) : undefined;
const listLength = (value: unknown): number | undefined => (Array.isArray(value) ? value.length : undefined);
const memberCount = (value: unknown): number | undefined =>
  isFields(value) ? Object.keys(value).length : undefined;

/** What each keyword demands; a keyword of another type of value demands nothing. Source: JSON Schema 2020-12. */
export const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: (wanted, place) =>
    listOf(wanted).some((type) => isOfType(type, place.value))
      ? []
      : [
          faultAt(
            place,
            `${quoteValue(place.value)} is not of type ${listOf(wanted).map(quoteValue).join(", ")}`,
          ),
        ],
  enum: (wanted, place) =>
    isOneOf(place.value, listOf(wanted))
      ? []
      : [faultAt(place, `${quoteValue(place.value)} is not one of ${JSON.stringify(wanted)}`)],
  const: (wanted, place) =>
    sameJson(wanted, place.value) ? [] : [faultAt(place, `${quoteValue(wanted)} was expected`)],
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
      : [faultAt(place, `${quoteValue(place.value)} does not match ${quoteValue(wanted)}`)],
  uniqueItems: (wanted, place) =>
    wanted === true && Array.isArray(place.value) && hasTwins(place.value)
      ? [faultAt(place, `${quoteValue(place.value)} has non-unique elements`)]
      : [],
  prefixItems: (wanted, place) =>
    itemsOf(place.value).flatMap((item, index) =>
      index < listOf(wanted).length ? faultsOf(inside(place, index, listOf(wanted)[index], item)) : [],
    ),
  items: (wanted, place, schema) =>
    itemsOf(place.value).flatMap((item, index) =>
      index < listOf(schema["prefixItems"] ?? []).length ? [] : faultsOf(inside(place, index, wanted, item)),
    ),
  contains: containsFaults,
  required: (wanted, place) =>
    listOf(wanted)
      .filter((name) => isFields(place.value) && !Object.hasOwn(place.value, String(name)))
      .map((name) => faultAt(place, `${quoteValue(name)} is a required property`)),
  properties: (wanted, place) =>
    membersOf(place.value)
      .filter(([name]) => isFields(wanted) && Object.hasOwn(wanted, name))
      .flatMap(([name, member]) => faultsOf(inside(place, name, isFields(wanted) && wanted[name], member))),
  patternProperties: (wanted, place) =>
    membersOf(place.value).flatMap(([name, member]) =>
      membersOf(wanted)
        .filter(([pattern]) => matches(pattern, name))
        .flatMap(([, schema]) => faultsOf(inside(place, name, schema, member))),
    ),
  additionalProperties: additionalFaults,
  propertyNames: (wanted, place) =>
    membersOf(place.value).flatMap(([name]) => faultsOf({ ...place, schema: wanted, value: name })),
  dependentRequired: (wanted, place) =>
    membersOf(wanted)
      .filter(([name]) => isFields(place.value) && Object.hasOwn(place.value, name))
      .flatMap(([name, needed]) =>
        listOf(needed)
          .filter((other) => isFields(place.value) && !Object.hasOwn(place.value, String(other)))
          .map((other) => faultAt(place, `${quoteValue(other)} is a dependency of '${name}'`)),
      ),
  dependentSchemas: (wanted, place) =>
    membersOf(wanted)
      .filter(([name]) => isFields(place.value) && Object.hasOwn(place.value, name))
      .flatMap(([, schema]) => faultsOf({ ...place, schema })),
  allOf: (wanted, place) => listOf(wanted).flatMap((schema) => faultsOf({ ...place, schema })),
  anyOf: (wanted, place) =>
    listOf(wanted).some((schema) => fits({ ...place, schema })) ? [] : [faultAt(place, noneFits(place))],
  oneOf: (wanted, place) => {
    const count = listOf(wanted).filter((schema) => fits({ ...place, schema })).length;
    if (count === 0) return [faultAt(place, noneFits(place))];
    return count === 1
      ? []
      : [faultAt(place, `${quoteValue(place.value)} is valid under ${count} of the given schemas`)];
  },
  not: (wanted, place) =>
    fits({ ...place, schema: wanted })
      ? [faultAt(place, `${quoteValue(place.value)} should not be valid`)]
      : [],
  if: (wanted, place, schema) => {
    const next = fits({ ...place, schema: wanted }) ? "then" : "else";
    return next in schema ? faultsOf({ ...place, schema: schema[next] }) : [];
  },
};

/** Whether a text has what the pattern describes; a pattern that is none matches nothing. */
export function matches(pattern: string, text: string): boolean {
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
  const known = new Set(membersOf(schema["properties"]).map(([name]) => name));
  const patterns = membersOf(schema["patternProperties"]).map(([pattern]) => pattern);
  const others = membersOf(place.value).filter(
    ([name]) => !known.has(name) && !patterns.some((pattern) => matches(pattern, name)),
  );
  if (wanted !== false || others.length === 0)
    return others.flatMap(([name, member]) => faultsOf(inside(place, name, wanted, member)));
  const names = others.map(([name]) => `'${name}'`).join(", ");
  const were = others.length === 1 ? "was" : "were";
  return [faultAt(place, `Additional properties are not allowed (${names} ${were} unexpected)`)];
}

function containsFaults(wanted: unknown, place: SchemaPlace, schema: Fields): readonly string[] {
  if (!Array.isArray(place.value)) return [];
  const count = itemsOf(place.value).filter((item, index) => fits(inside(place, index, wanted, item))).length;
  const least = Number(schema["minContains"] ?? 1);
  const most = Number(schema["maxContains"] ?? Number.POSITIVE_INFINITY);
  if (count >= least && count <= most) return [];
  return [faultAt(place, `${quoteValue(place.value)} contains ${count} items matching the given schema`)];
}

function numeric(holds: (value: number, limit: number) => boolean, is: string): Keyword {
  return (wanted, place) =>
    typeof place.value !== "number" || holds(place.value, Number(wanted))
      ? []
      : [faultAt(place, `${place.value} is ${is} ${String(wanted)}`)];
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
      : [faultAt(place, `${quoteValue(place.value)} ${is}`)];
  };
}

const noneFits = ({ value }: SchemaPlace): string =>
  `${quoteValue(value)} is not valid under any of the given schemas`;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const membersOf = (value: unknown): readonly [string, unknown][] =>
  isFields(value) ? Object.entries(value) : [];

function hasTwins(items: readonly unknown[]): boolean {
  return items.some((item, index) => items.slice(0, index).some((other) => sameJson(item, other)));
}
