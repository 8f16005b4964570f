import type { Difference } from "../../call.ts";
import type { JsonTree } from "../../json/json-tree.ts";
import type { Place } from "./place.ts";

/** Takes one difference; its words are made only where it is going to be listed. */
export type Report = (difference: () => Difference) => void;

/** Two values at the same place; the objects that they stand in may say what kind of data a string is. */
export interface Values {
  readonly recorded: JsonTree;
  readonly asked: JsonTree;
  readonly parents?: readonly [recorded: JsonTree, asked: JsonTree];
}

/** Reports every difference between two values, in wire order; nothing where they are equal. */
export type Compare = (values: Values, place: Place, report: Report) => void;

/** The names of both, each once: those asked for in their order, the others behind the one they followed. */
export function mergedNames(recorded: readonly string[], asked: readonly string[]): readonly string[] {
  const known = new Set(asked);
  const first: string[] = [];
  const followers = new Map<string, string[]>();
  let latest = first;
  for (const name of recorded) {
    if (known.has(name)) followers.set(name, (latest = []));
    else latest.push(name);
  }
  return [...first, ...asked.flatMap((name) => [name, ...(followers.get(name) ?? [])])];
}
