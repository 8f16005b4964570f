import { pointerTo } from "../../core/json/json-tree.ts";
import { sameJson } from "./same-json.ts";

/** A place in a check: a value against a schema, inside a root that references are resolved in. */
export interface SchemaPlace {
  readonly root: unknown;
  readonly schema: unknown;
  readonly value: unknown;
  /** JSON pointer of the value; empty for the whole. */
  readonly at: string;
  /** References that were followed without going deeper into the value. */
  readonly followed: readonly string[];
  /** What checks a place as a whole: given along, because keywords and the whole need each other. */
  readonly check: (place: SchemaPlace) => readonly string[];
}

export function faultsOf(place: SchemaPlace): readonly string[] {
  return place.check(place);
}

/** Whether a value fits at a place. */
export function fits(place: SchemaPlace): boolean {
  return place.check(place).length === 0;
}

export function faultAt({ at }: SchemaPlace, what: string): string {
  return at === "" ? what : `${what} at ${at}`;
}

/** A value as Python's validators show it: texts in single quotes, all else as JSON. */
export function quoted(value: unknown): string {
  return typeof value === "string" ? `'${value}'` : JSON.stringify(value);
}

export function isOneOf(value: unknown, choices: readonly unknown[]): boolean {
  return choices.some((choice) => sameJson(choice, value));
}

/** The place one step deeper in the value. */
export function inside(
  place: SchemaPlace,
  step: string | number,
  schema: unknown,
  value: unknown,
): SchemaPlace {
  return { ...place, schema, value, at: pointerTo(place.at, String(step)), followed: [] };
}
