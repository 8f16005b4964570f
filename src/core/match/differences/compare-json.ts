import type { Difference } from "../../call.ts";
import { jsonOrNone } from "../../json/json-parse.ts";
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  type JsonTree,
} from "../../json/json-tree.ts";
import { canonicalJson, canonicalNumber } from "../key/canonical-json.ts";
import { compareArrays } from "./compare-array.ts";
import { compareTexts } from "./compare-text.ts";
import { mergedNames, type Report, type Values } from "./comparison.ts";
import { takeOutJson } from "./embedded-json.ts";
import { describeData, isWord, shortValue } from "./excerpt.ts";
import { labelOf, memberPlace, type Place } from "./place.ts";

/** Reports every difference between two values, in wire order; nothing where they are equal. */
export function compareTrees(values: Values, place: Place, report: Report): void {
  const { recorded, asked } = values;
  if (typeof recorded === "string" && typeof asked === "string") {
    if (recorded !== asked) compareStrings(values, [recorded, asked], place, report);
  } else if (isJsonObject(recorded) && isJsonObject(asked)) {
    compareObjects(recorded, asked, place, report);
  } else if (isJsonArray(recorded) && isJsonArray(asked)) {
    compareArrays([recorded, asked], place, report, compareTrees);
  } else if (!sameValue(recorded, asked)) {
    report(() => changedValue(values, place));
  }
}

function compareObjects(recorded: JsonObject, asked: JsonObject, place: Place, report: Report): void {
  const before = new Map(recorded.members);
  const after = new Map(asked.members);
  for (const name of mergedNames([...before.keys()], [...after.keys()])) {
    const old = before.get(name);
    const now = after.get(name);
    const at = memberPlace(place, name, typeof (old ?? now) === "string" && typeof (now ?? old) === "string");
    if (old !== undefined && now !== undefined) {
      compareTrees({ recorded: old, asked: now, parents: [recorded, asked] }, at, report);
    } else if (now !== undefined) report(() => addedMember(now, asked, memberPlace(place, name, false)));
    else if (old !== undefined) report(() => removedMember(old, recorded, memberPlace(place, name, false)));
  }
}

function addedMember(value: JsonTree, parent: JsonTree, place: Place): Difference {
  const asked = shortValue(value, parent);
  const text = `${place.label} added${isScalar(value) ? `: ${asked}` : ""}`;
  return { at: place.pointer, kind: "added", asked, text };
}

function removedMember(value: JsonTree, parent: JsonTree, place: Place): Difference {
  const recorded = shortValue(value, parent);
  const text = `${place.label} removed${isScalar(value) ? `: ${recorded}` : ""}`;
  return { at: place.pointer, kind: "removed", recorded, text };
}

function compareStrings(
  values: Values,
  [recorded, asked]: readonly [string, string],
  place: Place,
  report: Report,
): void {
  const data = describeData(recorded) ?? describeData(asked);
  if (data !== undefined || (isWord(recorded) && isWord(asked))) {
    report(() => changedValue(values, place));
    return;
  }
  if (compareNested([recorded, asked], place, report) || compareEmbedded([recorded, asked], place, report))
    return;
  compareTexts(recorded, asked, place, report);
}

/** Arguments of tool calls are JSON in a string. They differ as strings, but what to look at is inside. */
function compareNested([recorded, asked]: readonly [string, string], place: Place, report: Report): boolean {
  const before = nestedJson(recorded);
  const after = nestedJson(asked);
  if (before === undefined || after === undefined || canonicalJson(before) === canonicalJson(after))
    return false;
  compareInside({ recorded: before, asked: after }, place, report);
  return true;
}

/** Prompts hold schemas and tools as JSON among their words: what differs in one is told as in any other JSON. */
function compareEmbedded(
  [recorded, asked]: readonly [string, string],
  place: Place,
  report: Report,
): boolean {
  const [before, after] = [takeOutJson(recorded), takeOutJson(asked)];
  if (before === undefined || after === undefined || before.values.length !== after.values.length)
    return false;
  if (before.words !== after.words) compareTexts(before.words, after.words, place, report);
  for (const [index, old] of before.values.entries()) {
    const now = after.values[index];
    if (now === undefined || now.text === old.text) continue;
    const number = before.values.length === 1 ? "" : ` ${index + 1}`;
    const isAll = before.words.trim() === "JSON 1";
    const inside = isAll ? place : { ...place, label: `${labelOf(place)}, JSON${number}` };
    const isSame = canonicalJson(old.tree) === canonicalJson(now.tree);
    if (isSame && Math.max(old.text.length, now.text.length) > SHORT) report(() => writtenOtherwise(inside));
    else if (isSame) compareTexts(old.text, now.text, inside, report);
    else compareInside({ recorded: old.tree, asked: now.tree }, inside, report);
  }
  return true;
}

/** So long a value can be shown as it is written. */
const SHORT = 120;

function writtenOtherwise(place: Place): Difference {
  const { pointer } = place;
  const label = labelOf(place);
  return {
    at: pointer,
    kind: "changed",
    text: `${label}: the same value, its members in another order or spaced otherwise`,
  };
}

/** Of what differs inside of a text, the text is the place. */
function compareInside(values: Values, place: Place, report: Report): void {
  compareTrees(values, { ...place, element: false }, (difference) => {
    report(() => ({ ...difference(), at: place.pointer, kind: "changed" }));
  });
}

function nestedJson(text: string): JsonTree | undefined {
  return /^\s*[[{]/.test(text) ? jsonOrNone(text) : undefined;
}

function changedValue({ recorded, asked, parents }: Values, place: Place): Difference {
  const before = shortValue(recorded, parents?.[0]);
  const after = shortValue(asked, parents?.[1]);
  const label = labelOf(place);
  const text = before === after ? `${label} ${after}, with other content` : `${label} ${before} → ${after}`;
  return { at: place.pointer, kind: "changed", recorded: before, asked: after, text };
}

function sameValue(a: JsonTree, b: JsonTree): boolean {
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b;
  return isJsonNumber(a) && isJsonNumber(b) && canonicalNumber(a.number) === canonicalNumber(b.number);
}

function isScalar(tree: JsonTree): boolean {
  return tree === null || typeof tree !== "object" || isJsonNumber(tree);
}
