import type { Difference } from "../../call.ts";
import { jsonOrNone } from "../../json/json-parse.ts";
import {
  canonicalJson,
  canonicalNumber,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonObject,
  type JsonTree,
} from "../../json/json-tree.ts";
import { compareArrays, type Values } from "./compare-array.ts";
import { compareTexts } from "./compare-text.ts";
import {
  describeData,
  describeDifference,
  isWord,
  labelOf,
  memberPlace,
  mergedNames,
  shortValue,
  type Place,
  type Report,
} from "./wording.ts";

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
    } else {
      const { pointer, label } = memberPlace(place, name, false);
      const isLong = !isScalar(old ?? now ?? null);
      report(() =>
        describeDifference({
          at: pointer,
          label,
          recorded: old === undefined ? undefined : shortValue(old, recorded),
          asked: now === undefined ? undefined : shortValue(now, asked),
          isLong,
        }),
      );
    }
  }
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
  return describeDifference({
    at: place.pointer,
    label: labelOf(place),
    recorded: shortValue(recorded, parents?.[0]),
    asked: shortValue(asked, parents?.[1]),
  });
}

function sameValue(a: JsonTree, b: JsonTree): boolean {
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b;
  return isJsonNumber(a) && isJsonNumber(b) && canonicalNumber(a.number) === canonicalNumber(b.number);
}

const isScalar = (tree: JsonTree): boolean => tree === null || typeof tree !== "object" || isJsonNumber(tree);

/** A text in which JSON stands among words, taken apart. */
interface TextWithJson {
  /** Its words, with `JSON n` in the place of each value. */
  readonly words: string;
  readonly values: readonly EmbeddedJson[];
}

interface EmbeddedJson {
  readonly text: string;
  readonly tree: JsonTree;
}

/** Longer texts, more looks at their characters and shorter values are not worth the search. */
const LONGEST = 262_144;
const MOST_LOOKS = 1_000_000;
const SHORTEST = 8;
/** Code has brackets, too, but seldom these. */
const BEGINNING = /\{(?=\s*")|\[(?=\s*["{[\d-])/g;

/** The objects and lists in a text that are JSON and hold something, outermost ones; undefined where there are none. */
function takeOutJson(text: string): TextWithJson | undefined {
  if (text.length > LONGEST) return undefined;
  const values: EmbeddedJson[] = [];
  let words = "";
  let from = 0;
  let looks = 0;
  for (const { index } of text.matchAll(BEGINNING)) {
    if (index < from) continue;
    if (looks > MOST_LOOKS) break;
    const end = closingEnd(text, index);
    looks += (end ?? text.length) - index;
    const value = end === undefined || end - index < SHORTEST ? undefined : readValue(text.slice(index, end));
    if (value === undefined || end === undefined) continue;
    values.push(value);
    words += `${text.slice(from, index)}\nJSON ${values.length}\n`;
    from = end;
  }
  return values.length === 0 ? undefined : { words: words + text.slice(from), values };
}

function readValue(text: string): EmbeddedJson | undefined {
  const tree = jsonOrNone(text);
  if (tree === undefined) return undefined;
  const isFull = isJsonArray(tree) ? tree.length > 0 : isJsonObject(tree) && tree.members.length > 0;
  return isFull ? { text, tree } : undefined;
}

/** Behind the bracket that closes the one at `start`; brackets in strings do not count. */
function closingEnd(text: string, start: number): number | undefined {
  const brackets = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/gsy;
  const any = /["{}[\]]/g;
  let depth = 0;
  for (let at = start; ;) {
    any.lastIndex = at;
    const next = any.exec(text)?.index;
    if (next === undefined) return undefined;
    brackets.lastIndex = next;
    const [found] = brackets.exec(text) ?? [];
    if (found === undefined) return undefined;
    if (found === "{" || found === "[") depth += 1;
    else if (found === "}" || found === "]") depth -= 1;
    at = next + found.length;
    if (depth === 0) return at;
  }
}
