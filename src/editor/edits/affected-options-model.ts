import { isJsonArray, isJsonObject, type JsonTree } from "../../core/json/json-tree.ts";
import { affectedChunks, type AffectedChunk, type SeenChunks } from "./affected-chunks-model.ts";
import { isNamesake, optionText, type SourceOption } from "./literals-model.ts";

/** An option that the request has and that changed. */
export type AffectedOption = AffectedChunk<SourceOption>;

/** Name and value have to be a member's of the request: a number alone says nothing. */
export function affectedOptions(body: JsonTree, seen: SeenChunks<SourceOption>): readonly AffectedOption[] {
  const sent = new Set(membersOf(body));
  return affectedChunks(seen, (text) => sent.has(text)).map((one) => ({
    ...one,
    now: one.now && isNamesake(one.now, one.before) ? one.now : undefined,
  }));
}

/** The body with these options as they are now; one of which nobody can say gets the value `unknown`. */
export function withOptions(
  tree: JsonTree,
  affected: readonly AffectedOption[],
  unknown: JsonTree,
): JsonTree {
  if (isJsonArray(tree)) return tree.map((one) => withOptions(one, affected, unknown));
  if (tree === null || typeof tree !== "object" || !isJsonObject(tree)) return tree;
  return {
    members: tree.members.map(([name, value]) => {
      const text = optionText(name, value);
      const found = affected.find(({ before }) => before.text === text);
      return [name, found ? (found.now?.value ?? unknown) : withOptions(value, affected, unknown)];
    }),
  };
}

function* membersOf(tree: JsonTree): Generator<string> {
  if (isJsonArray(tree)) for (const one of tree) yield* membersOf(one);
  else if (tree !== null && typeof tree === "object" && isJsonObject(tree))
    for (const [name, value] of tree.members) {
      const text = optionText(name, value);
      if (text !== undefined) yield text;
      yield* membersOf(value);
    }
}
