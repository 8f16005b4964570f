import { fieldsOf, listOf, textIn, type Fields } from "../../reading/lenient.ts";

/** Arguments of a call that Vertex streams value by value. */
export type PartialArguments = Map<string, { readonly path: readonly (string | number)[]; value: unknown }>;

/**
 * Takes in pieces of arguments: each names its place (`$.operations[1].price`); a text may come in several pieces.
 * Source: docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling ("Streaming function call
 * arguments"), 2026-11.
 */
export function addPieces(open: PartialArguments, pieces: unknown): void {
  for (const piece of listOf(pieces).map(fieldsOf)) {
    const place = textIn(piece["jsonPath"]);
    if (place === undefined) continue;
    const before = open.get(place)?.value;
    const value = valueOf(piece);
    const joined = typeof before === "string" && typeof value === "string" ? before + value : value;
    open.set(place, { path: stepsOf(place), value: joined });
  }
}

/** The arguments as they are so far. */
export function wholeArguments(open: PartialArguments): unknown {
  let root: unknown;
  for (const { path, value } of open.values()) root = placeValue(root, path, value);
  return root ?? {};
}

function valueOf(piece: Fields): unknown {
  if ("nullValue" in piece) return null;
  return piece["stringValue"] ?? piece["numberValue"] ?? piece["boolValue"] ?? "";
}

function stepsOf(place: string): (string | number)[] {
  return [...place.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]/g)].map(
    ([, name, index, quoted]) => name ?? quoted ?? Number(index),
  );
}

/** Beyond this a list's place is noise, not an argument. */
const MOST_ITEMS = 10_000;

function placeValue(
  inside: unknown,
  [step, ...steps]: readonly (string | number)[],
  value: unknown,
): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") {
    const list = [...listOf(inside)];
    if (step < MOST_ITEMS) list[step] = placeValue(list[step], steps, value);
    return list;
  }
  const fields = fieldsOf(inside);
  const known = Object.hasOwn(fields, step) ? fields[step] : undefined;
  return { ...fields, [step]: placeValue(known, steps, value) };
}
