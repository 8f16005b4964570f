/**
 * JSON that loses nothing: members keep their order, numbers their digits.
 * Plain `JSON.parse` reorders integer-like names and rounds 9007199254740993.
 */
export type JsonTree = null | boolean | string | JsonNumber | readonly JsonTree[] | JsonObject;

/** A number as it was written, e.g. "1.0" or "9007199254740993". */
export interface JsonNumber {
  readonly number: string;
}

/** Members in the order in which they were written; names are unique. */
export interface JsonObject {
  readonly members: readonly (readonly [name: string, value: JsonTree])[];
}

export function isJsonNumber(tree: JsonTree): tree is JsonNumber {
  return typeof tree === "object" && tree !== null && "number" in tree;
}

export function isJsonObject(tree: JsonTree): tree is JsonObject {
  return typeof tree === "object" && tree !== null && "members" in tree;
}

export const isJsonArray = (tree: JsonTree): tree is readonly JsonTree[] => Array.isArray(tree);

/** The value under `name`, or undefined where `tree` is no object or has no such member. */
export function member(tree: JsonTree | undefined, name: string): JsonTree | undefined {
  if (tree === undefined || !isJsonObject(tree)) return undefined;
  return tree.members.find(([key]) => key === name)?.[1];
}

/** The JSON pointer (RFC 6901) of a member. */
export function pointerTo(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The names and indexes that a JSON pointer leads through. */
export function pointerSteps(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The tree with other strings, each given with its pointer. */
export function mapStrings(
  tree: JsonTree,
  pointer: string,
  map: (pointer: string, text: string) => string,
): JsonTree {
  if (typeof tree === "string") return map(pointer, tree);
  if (isJsonArray(tree)) return tree.map((value, index) => mapStrings(value, `${pointer}/${index}`, map));
  if (!isJsonObject(tree)) return tree;
  return {
    members: tree.members.map(([name, value]) => [name, mapStrings(value, pointerTo(pointer, name), map)]),
  };
}
