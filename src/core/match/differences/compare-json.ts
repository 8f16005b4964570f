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
  if (!compareNested([recorded, asked], place, report)) compareTexts(recorded, asked, place, report);
}

/** Arguments of tool calls are JSON in a string. They differ as strings, but what to look at is inside. */
function compareNested([recorded, asked]: readonly [string, string], place: Place, report: Report): boolean {
  const before = nestedJson(recorded);
  const after = nestedJson(asked);
  if (before === undefined || after === undefined || canonicalJson(before) === canonicalJson(after))
    return false;
  compareTrees({ recorded: before, asked: after }, { ...place, element: false }, (difference) => {
    report(() => ({ ...difference(), at: place.pointer, kind: "changed" }));
  });
  return true;
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
