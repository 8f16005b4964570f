import { isJsonArray, isJsonNumber, isJsonObject, type JsonTree } from "../../json/json-tree.ts";
import { departure } from "../differences/departure.ts";
import type { KeyedRequest } from "../key/key.ts";
import { wordsOf } from "./features.ts";
import { gistOf } from "./gist.ts";

/** The share of words that two texts about the same thing have in common; measured in docs/decisions/008. */
const ALIKE = 0.6;

/**
 * Whether a recorded request is about what was asked: of a list, the most like it may be like it in nothing but the
 * model and a system prompt that all share. A conversation that leaves the recorded one late on is about the same.
 */
export function isNear(recorded: KeyedRequest, asked: KeyedRequest): boolean {
  const [before, now] = [treeOf(recorded), treeOf(asked)];
  if (before === undefined || now === undefined) return true; // files: only their names and sizes could be compared
  if (departure(recorded.body, asked.body) !== undefined) return true;
  const [said, says] = [gistOf(recorded.path, before).lastUser, gistOf(asked.path, now).lastUser];
  if (said === undefined || says === undefined) return likeness(textsIn(before), textsIn(now)) >= ALIKE;
  return said === says || likeness(said, says) >= ALIKE;
}

function treeOf({ body }: KeyedRequest): JsonTree | undefined {
  return body.kind === "json" ? body.tree : undefined;
}

function textsIn(tree: JsonTree): string {
  if (typeof tree === "string") return tree;
  if (typeof tree !== "object" || tree === null || isJsonNumber(tree)) return "";
  if (isJsonArray(tree)) return tree.map(textsIn).join(" ");
  return isJsonObject(tree) ? tree.members.map(([, value]) => textsIn(value)).join(" ") : "";
}

/** Twice the words in common, of all words of both: 0 to 1. Two texts without words are alike. */
function likeness(one: string, other: string): number {
  const counts = new Map<string, number>();
  let [all, common] = [0, 0];
  for (const word of wordsOf(one)) {
    all += 1;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  for (const word of wordsOf(other)) {
    all += 1;
    const left = counts.get(word) ?? 0;
    if (left > 0) common += 1;
    counts.set(word, left - 1);
  }
  return all === 0 ? 1 : (2 * common) / all;
}
