import { isJsonArray, isJsonObject, pointerSteps, type JsonTree } from "../../json/json-tree.ts";

/** A JSON pointer in which `*` stands for any index or name, as its steps; undefined where the text is none. */
export function readPointerPattern(text: string): readonly string[] | undefined {
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return pointerSteps(text);
}

/** What becomes of a value; undefined takes it out. */
type Change = (value: JsonTree) => JsonTree | undefined;

/** Changes the values at a place, as far as there are any. What does not change stays the same object. */
export function changeAt(tree: JsonTree, steps: readonly string[], change: Change): JsonTree | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return change(tree);
  const inner = (value: JsonTree, name: string): JsonTree | undefined =>
    step === "*" || step === name ? changeAt(value, rest, change) : value;
  return changeChildren(tree, inner);
}

export function changeTexts(tree: JsonTree, change: (text: string) => string): JsonTree {
  if (typeof tree === "string") return change(tree);
  return changeChildren(tree, (value) => changeTexts(value, change));
}

function changeChildren(
  tree: JsonTree,
  change: (value: JsonTree, name: string) => JsonTree | undefined,
): JsonTree {
  if (isJsonArray(tree)) {
    const changed = tree.map((value, index) => change(value, String(index)));
    return isSame(changed, tree) ? tree : changed.filter((value) => value !== undefined);
  }
  if (!isJsonObject(tree)) return tree;
  const { members } = tree;
  const changed = members.map(([name, value]) => change(value, name));
  if (changed.every((value, index) => value === members[index]?.[1])) return tree;
  return {
    members: members.flatMap(([name], index) => {
      const value = changed[index];
      return value === undefined ? [] : [[name, value] as const];
    }),
  };
}

function isSame(changed: readonly (JsonTree | undefined)[], before: readonly JsonTree[]): boolean {
  return changed.every((value, index) => value === before[index]);
}
