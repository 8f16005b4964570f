import { isJsonArray, isJsonObject, type JsonTree } from "../../json/json-tree.ts";
import { pointerTo } from "../../json/json-pointer.ts";
import { canonicalJson } from "../key/canonical-json.ts";
import type { KeyedRequest } from "../key/canonical.ts";

/** So many places may differ before it is no use to name them. */
const MOST = 64;

/** JSON pointers, in wire order; undefined where more than the JSON body differs, or more places than are of use. */
export function differingPlaces(a: KeyedRequest, b: KeyedRequest): readonly string[] | undefined {
  if (a.method !== b.method || a.path !== b.path) return undefined;
  if (a.body.kind !== "json" || b.body.kind !== "json") return undefined;
  const places: string[] = [];
  collectPlaces([a.body.tree, b.body.tree], "", places);
  // A whole body is no place: without it every call would be the same.
  return places.includes("") || places.length > MOST ? undefined : places;
}

function collectPlaces(
  [a, b]: readonly [JsonTree | undefined, JsonTree | undefined],
  pointer: string,
  into: string[],
): void {
  if (into.length > MOST || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b)))
    return;
  const children = childrenOf(a, b);
  if (children === undefined) return void into.push(pointer);
  for (const [name, one, other] of children) collectPlaces([one, other], pointerTo(pointer, name), into);
}

type Child = readonly [name: string, a: JsonTree | undefined, b: JsonTree | undefined];

/** What two values have in them, side by side; undefined where they are not of a kind that has the same places. */
function childrenOf(a: JsonTree | undefined, b: JsonTree | undefined): readonly Child[] | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (isJsonArray(a) && isJsonArray(b))
    return a.length === b.length ? a.map((one, index) => [String(index), one, b[index]]) : undefined;
  if (!isJsonObject(a) || !isJsonObject(b)) return undefined;
  const [before, after] = [new Map(a.members), new Map(b.members)];
  return [...new Set([...before.keys(), ...after.keys()])].map((name) => [
    name,
    before.get(name),
    after.get(name),
  ]);
}
