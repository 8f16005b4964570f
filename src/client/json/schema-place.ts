import { splitPointer, extendPointer } from "../../core/base/json/json-tree.ts";
import { decodePercent } from "../../core/base/wire/text.ts";
import { isFields } from "../../core/base/lenient.ts";

/** A step of a check: a value, its schema, and the root schema for references. */
export interface SchemaPlace {
  readonly root: unknown;
  readonly schema: unknown;
  readonly value: unknown;
  /** JSON pointer of the value; empty for the whole. */
  readonly at: string;
  /** References followed at this value, to detect cycles. */
  readonly followed: readonly string[];
}

export const describeSchemaFault = ({ at }: SchemaPlace, what: string): string =>
  at === "" ? what : `${what} at ${at}`;

/** Formats a value like Python's validators: strings in single quotes, other values as JSON. */
export function quoteValue(value: unknown): string {
  return typeof value === "string" ? `'${value}'` : JSON.stringify(value);
}

export function isOneOf(value: unknown, choices: readonly unknown[]): boolean {
  return choices.some((choice) => isSameJson(choice, value));
}

export function enterSchemaPlace(
  place: SchemaPlace,
  step: string | number,
  schema: unknown,
  value: unknown,
): SchemaPlace {
  return { ...place, schema, value, at: extendPointer(place.at, String(step)), followed: [] };
}

/** Resolves a local reference: "#", "#/a/b", or "#anchor". Returns undefined for an unknown or remote one. */
export function resolveRef(root: unknown, ref: string): unknown {
  if (!ref.startsWith("#")) return undefined;
  const fragment = decodePercent(ref.slice(1));
  if (fragment === "") return root;
  return fragment.startsWith("/") ? atPointer(root, fragment) : withAnchor(root, fragment);
}

function atPointer(root: unknown, pointer: string): unknown {
  let found = root;
  for (const name of splitPointer(pointer)) {
    if (Array.isArray(found)) found = found[Number(name)] as unknown;
    else if (isFields(found) && Object.hasOwn(found, name)) found = found[name];
    else return undefined;
  }
  return found;
}

function withAnchor(schema: unknown, anchor: string): unknown {
  if (Array.isArray(schema)) return findFirst(schema, anchor);
  if (!isFields(schema)) return undefined;
  if (schema["$anchor"] === anchor || schema["$dynamicAnchor"] === anchor) return schema;
  return findFirst(Object.values(schema), anchor);
}

function findFirst(schemas: readonly unknown[], anchor: string): unknown {
  for (const schema of schemas) {
    const found = withAnchor(schema, anchor);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether two JSON values are equal, independent of the order of members. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSameJson(item, b[index]));
  if (!isFields(a) || !isFields(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name]))
  );
}
