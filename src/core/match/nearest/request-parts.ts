import {
  canonicalNumber,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  type JsonTree,
  pointerSteps,
} from "../../json/json-tree.ts";
import { hashText, mix } from "./hash.ts";

/**
 * A request as hashes of its parts: members of its body, and elements of members that are lists. Pairs of numbers:
 * which part, and what stands there. Two requests that differ in one part have all other pairs in common.
 */
export type RequestParts = Uint32Array;

/** A conversation may have any number of turns: those beyond are one part. */
const MOST_PARTS = 64;
const FOLDED = 1;

/** `address` stands for all that is not the body. No parts of a body that is no JSON object. */
export function partsOf(tree: JsonTree | undefined, address: string): RequestParts {
  if (tree === undefined || !isJsonObject(tree)) return new Uint32Array(0);
  const parts: number[] = [0, hashText(address, 11)];
  let folded = 0;
  for (const [id, value] of idsOf(tree)) {
    if (parts.length < 2 * MOST_PARTS) parts.push(id, mix(id, hashTree(value)));
    else folded = (folded + mix(id, hashTree(value))) >>> 0;
  }
  if (folded !== 0) parts.push(FOLDED, folded);
  return Uint32Array.from(parts);
}

function* idsOf(tree: JsonObject): Generator<readonly [number, JsonTree]> {
  for (const [name, value] of tree.members) {
    if (!isJsonArray(value)) yield [idOf(name), value];
    else for (const [index, element] of value.entries()) yield [idOf(name, String(index)), element];
  }
}

const idOf = (name: string, index = ""): number => hashText(index, hashText(name, 12));

/** Whether a part is the one that a JSON pointer leads into; of a list as a whole every element is. */
export function partUnder(pointer: string): (part: number) => boolean {
  const [name = "", index = ""] = pointerSteps(pointer);
  const [whole, element] = [idOf(name), idOf(name, index)];
  if (index !== "") return (part) => part === whole || part === element;
  const elements = new Set(Array.from({ length: MOST_PARTS }, (_, nth) => idOf(name, String(nth))));
  // Asked a million times among 100,000 requests: most parts are told by a few of their bits.
  const mayBe = new Uint8Array(4_096);
  for (const one of elements) mayBe[one & 4_095] = 1;
  return (part) => part === whole || (mayBe[part & 4_095] === 1 && elements.has(part));
}

/** The same for equal values, whatever the order of members. */
function hashTree(tree: JsonTree): number {
  if (typeof tree === "string") return hashText(tree, 13);
  if (typeof tree !== "object" || tree === null) return hashText(String(tree), 14);
  if (isJsonNumber(tree)) return hashText(canonicalNumber(tree.number), 15);
  if (isJsonArray(tree)) return tree.reduce((hash, value) => mix(hash, hashTree(value)), 16);
  if (!isJsonObject(tree)) return 0;
  const sum = tree.members.reduce(
    (hash, [name, value]) => (hash + mix(hashText(name, 17), hashTree(value))) >>> 0,
    0,
  );
  return mix(sum, 18);
}
