import {
  canonicalJson,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonTree,
  pointerTo,
} from "../../json/json-tree.ts";
import type { KeyedRequest } from "../key/key.ts";
import { keyHeaders } from "../key/key-headers.ts";

/** A place in two bodies at which they differ. */
export interface DifferingPlace {
  /** A JSON pointer. */
  readonly pointer: string;
  /** Whether a value of a few letters stands there, or none: an id, a number, a switch; no text that is said. */
  readonly isSetting: boolean;
  /** Whether what is said to the model stands there: without it, another question would get this one's answer. */
  readonly isSaid: boolean;
  /** What stands there in the one body and in the other; undefined where nothing does. */
  readonly a: JsonTree | undefined;
  readonly b: JsonTree | undefined;
}

/** The same place in every element: the next miss has its date in another message. */
export const anyIndex = (pointer: string): string => pointer.replaceAll(/\/\d+(?=\/|$)/g, "/*");

/** So many places may differ before it is no use to name them. */
const MOST = 64;
/** A setting is one word of at most so many characters. */
const SETTING = 80;
/** What providers call the places of what is said, however short it is. */
const SAID =
  /\/(?:content|text|texts|prompt|inputs?|inputText|query|question|message|instructions?|system|arguments)(?:\/\d+)?$/;

/** In wire order; undefined where more than the JSON body differs, or more places than are of use. */
export function differingPlaces(a: KeyedRequest, b: KeyedRequest): readonly DifferingPlace[] | undefined {
  if (a.method !== b.method || a.path !== b.path || headersDiffer(a, b)) return undefined;
  if (a.body.kind !== "json" || b.body.kind !== "json") return undefined;
  const places: DifferingPlace[] = [];
  collectPlaces([a.body.tree, b.body.tree], "", places);
  // A whole body is no place: without it every call would be the same.
  return places.some(({ pointer }) => pointer === "") || places.length > MOST ? undefined : places;
}

/** Where nobody looked at them when it was recorded, none is known to differ. */
function headersDiffer(recorded: KeyedRequest, asked: KeyedRequest): boolean {
  if (recorded.headers === undefined) return false;
  return JSON.stringify(keyHeaders(recorded)) !== JSON.stringify(keyHeaders(asked));
}

function collectPlaces(
  [a, b]: readonly [JsonTree | undefined, JsonTree | undefined],
  pointer: string,
  into: DifferingPlace[],
): void {
  if (into.length > MOST || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b)))
    return;
  const children = childrenOf(a, b);
  if (children === undefined) {
    const isWord = isSetting(a) && isSetting(b);
    const isSaid = SAID.test(pointer) || ((typeof a === "string" || typeof b === "string") && !isWord);
    return void into.push({ pointer, isSetting: isWord && !isSaid, isSaid, a, b });
  }
  for (const [name, one, other] of children) collectPlaces([one, other], pointerTo(pointer, name), into);
}

function isSetting(value: JsonTree | undefined): boolean {
  if (typeof value === "string") return value.length <= SETTING && !/\s/.test(value);
  return value === undefined || value === null || typeof value !== "object" || isJsonNumber(value);
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
