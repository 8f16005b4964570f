import { localize } from "../../base/localize.ts";
import type { Difference } from "../../call/call.ts";
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  getMember,
  type JsonObject,
  type JsonTree,
} from "../../base/json/json-tree.ts";
import { writeCanonicalJson, writeCanonicalNumber } from "../key/key.ts";
import { align, compareTexts } from "./compare-text.ts";
import { takeOutJson } from "./embedded-json.ts";
import {
  describeData,
  describeDifference,
  createElementPlace,
  isWord,
  getLabel,
  createMemberPlace,
  mergeNames,
  quoteExcerpt,
  shortenValue,
  getTreeText,
  getToolName,
  type DifferencePlace,
  type Report,
} from "./wording.ts";

/** Two values at the same place; the objects that they stand in may say what kind of data a string is. */
interface Values {
  readonly recorded: JsonTree;
  readonly asked: JsonTree;
  readonly parents?: readonly [recorded: JsonTree, asked: JsonTree];
}

/** Reports every difference between two values, in wire order; nothing where they are equal. */
export function compareTrees(values: Values, place: DifferencePlace, report: Report): void {
  const { recorded, asked } = values;
  if (typeof recorded === "string" && typeof asked === "string") {
    if (recorded !== asked) compareStrings(values, [recorded, asked], place, report);
  } else if (isJsonObject(recorded) && isJsonObject(asked)) {
    compareObjects(recorded, asked, place, report);
  } else if (isJsonArray(recorded) && isJsonArray(asked)) {
    compareArrays([recorded, asked], place, report);
  } else if (!sameValue(recorded, asked)) {
    report(() => changedValue(values, place));
  }
}

function compareObjects(
  recorded: JsonObject,
  asked: JsonObject,
  place: DifferencePlace,
  report: Report,
): void {
  const before = new Map(recorded.members);
  const after = new Map(asked.members);
  for (const name of mergeNames([...before.keys()], [...after.keys()])) {
    const old = before.get(name);
    const now = after.get(name);
    const at = createMemberPlace(
      place,
      name,
      typeof (old ?? now) === "string" && typeof (now ?? old) === "string",
    );
    if (old !== undefined && now !== undefined) {
      compareTrees({ recorded: old, asked: now, parents: [recorded, asked] }, at, report);
    } else {
      const { pointer, label } = createMemberPlace(place, name, false);
      const isLong = !isScalar(old ?? now ?? null);
      report(() =>
        describeDifference({
          at: pointer,
          label,
          recorded: old === undefined ? undefined : shortenValue(old, recorded),
          asked: now === undefined ? undefined : shortenValue(now, asked),
          isLong,
        }),
      );
    }
  }
}

function compareStrings(
  values: Values,
  [recorded, asked]: readonly [string, string],
  place: DifferencePlace,
  report: Report,
): void {
  const data = describeData(recorded) ?? describeData(asked);
  if (data !== undefined || (isWord(recorded) && isWord(asked))) {
    report(() => changedValue(values, place));
    return;
  }
  const mayHoldJson = /[[{]/.test(recorded) && /[[{]/.test(asked);
  if (mayHoldJson && compareEmbedded([recorded, asked], place, report)) return;
  compareTexts(recorded, asked, place, report);
}

/**
 * Compares the JSON in two texts as any other JSON: arguments of tool calls are JSON, and prompts have schemas and tools
 * among their words.
 */
function compareEmbedded(
  [recorded, asked]: readonly [string, string],
  place: DifferencePlace,
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
    const inside = isAll ? place : { ...place, label: `${getLabel(place)}, JSON${number}` };
    const isSame = writeCanonicalJson(old.tree) === writeCanonicalJson(now.tree);
    if (isSame && Math.max(old.text.length, now.text.length) > SHORT) report(() => writtenOtherwise(inside));
    else if (isSame) compareTexts(old.text, now.text, inside, report);
    else compareInside({ recorded: old.tree, asked: now.tree }, inside, report);
  }
  return true;
}

/** Maximum length of values that are shown as they are written. */
const SHORT = 120;

function writtenOtherwise(place: DifferencePlace): Difference {
  const { pointer } = place;
  const label = getLabel(place);
  return {
    at: pointer,
    kind: "changed",
    text: localize("{0}: the same value, but with another order of members or other white space", label),
  };
}

/** Reports differences inside of a text with the pointer of the text. */
function compareInside(values: Values, place: DifferencePlace, report: Report): void {
  compareTrees(values, { ...place, element: false }, (difference) => {
    report(() => ({ ...difference(), at: place.pointer, kind: "changed" }));
  });
}

function changedValue({ recorded, asked, parents }: Values, place: DifferencePlace): Difference {
  return describeDifference({
    at: place.pointer,
    label: getLabel(place),
    recorded: shortenValue(recorded, parents?.[0]),
    asked: shortenValue(asked, parents?.[1]),
  });
}

function sameValue(a: JsonTree, b: JsonTree): boolean {
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b;
  return (
    isJsonNumber(a) && isJsonNumber(b) && writeCanonicalNumber(a.number) === writeCanonicalNumber(b.number)
  );
}

const isScalar = (tree: JsonTree): boolean => tree === null || typeof tree !== "object" || isJsonNumber(tree);

type List = readonly JsonTree[];

/** Both lists with the canonical text of each element. */
interface Lists {
  readonly recorded: List;
  readonly asked: List;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Compares two lists. Tools are matched by name. Other elements are aligned by content, so that one inserted message is
 * one difference.
 */
function compareArrays(
  [recorded, asked]: readonly [List, List],
  place: DifferencePlace,
  report: Report,
): void {
  const names = [uniqueNames(recorded), uniqueNames(asked)] as const;
  if (names[0] && names[1]) {
    compareByName([names[0], names[1]], place, report);
    return;
  }
  const lists = {
    recorded,
    asked,
    before: recorded.map(writeCanonicalJson),
    after: asked.map(writeCanonicalJson),
  };
  for (const { recorded: from, asked: to, moved: isMoved } of align(
    lists.before,
    lists.after,
    similarity(lists),
  )) {
    if (from !== undefined && to !== undefined) {
      const values = { recorded: recorded[from] ?? null, asked: asked[to] ?? null };
      if (isMoved && from === to) continue; // the element that it swapped with is reported
      if (isMoved) report(() => describeMoved(values.asked, [from, to], place));
      else if (lists.before[from] !== lists.after[to])
        compareTrees(values, createElementPlace(place, to, values.asked), report);
    } else if (to !== undefined) report(() => describeElement({ asked: asked[to] ?? null }, to, place));
    else if (from !== undefined)
      report(() => describeElement({ recorded: recorded[from] ?? null }, from, place));
  }
}

/** Returns the index of each element by its tool name; undefined if a name is missing or not unique. */
function uniqueNames(list: List): ReadonlyMap<string, readonly [number, JsonTree]> | undefined {
  const byName = new Map<string, readonly [number, JsonTree]>();
  for (const [index, element] of list.entries()) {
    const name = getToolName(element);
    if (name === undefined || byName.has(name)) return undefined;
    byName.set(name, [index, element]);
  }
  return byName;
}

type Named = ReadonlyMap<string, readonly [number, JsonTree]>;

function compareByName(
  [before, after]: readonly [Named, Named],
  place: DifferencePlace,
  report: Report,
): void {
  for (const name of mergeNames([...before.keys()], [...after.keys()])) {
    const old = before.get(name);
    const now = after.get(name);
    if (old && now)
      compareTrees({ recorded: old[1], asked: now[1] }, createElementPlace(place, now[0], now[1]), report);
    else if (now) report(() => describeElement({ asked: now[1] }, now[0], place));
    else if (old) report(() => describeElement({ recorded: old[1] }, old[0], place));
  }
  const orders = [
    [...before.keys()].filter((name) => after.has(name)),
    [...after.keys()].filter((name) => before.has(name)),
  ];
  const [recorded, asked] = orders.map((order) => order.join(", ").slice(0, 120));
  if (orders[0]?.every((name, index) => name === orders[1]?.[index]) === true) return;
  report(() => ({
    at: place.pointer,
    kind: "changed",
    recorded: recorded ?? "",
    asked: asked ?? "",
    text: localize("{0} in another order: {1} → {2}", getLabel(place), recorded ?? "", asked ?? ""),
  }));
}

function describeMoved(
  element: JsonTree,
  [from, to]: readonly [number, number],
  parent: DifferencePlace,
): Difference {
  const { pointer, label } = createElementPlace(parent, to, element);
  return {
    at: pointer,
    kind: "changed",
    text: localize("{0} moved here from {1}", label, `${getLabel(parent)}[${from}]`),
  };
}

/** An element that only one of the lists has; tools are known by their names. */
function describeElement(
  { recorded, asked }: { readonly recorded?: JsonTree; readonly asked?: JsonTree },
  index: number,
  parent: DifferencePlace,
): Difference {
  const element = recorded ?? asked ?? null;
  const { pointer, label } = createElementPlace(parent, index, element);
  const name = getToolName(element);
  const value = elementText(element);
  return describeDifference({
    at: pointer,
    label: name === undefined ? label : `${label} (${name})`,
    ...(recorded === undefined ? { asked: value } : { recorded: value }),
    isLong: name !== undefined,
  });
}

function elementText(element: JsonTree): string {
  const isText = typeof element === "object" && element !== null && !isJsonNumber(element);
  const text = isText ? getTreeText(element) : undefined;
  return text === undefined || text.trim() === "" ? shortenValue(element) : quoteExcerpt(text);
}

/** How alike two elements are, 0 to 1: a quarter for what they are, the rest for the words that they share. */
function similarity({ recorded, asked, before, after }: Lists): (from: number, to: number) => number {
  const wordsBefore: (ReadonlySet<string> | undefined)[] = [];
  const wordsAfter: (ReadonlySet<string> | undefined)[] = [];
  return (from, to) => {
    const a = (wordsBefore[from] ??= wordsOf(before[from] ?? ""));
    const b = (wordsAfter[to] ??= wordsOf(after[to] ?? ""));
    let shared = 0;
    for (const word of a) if (b.has(word)) shared += 1;
    const dice = (2 * shared) / Math.max(1, a.size + b.size);
    return (kindOf(recorded[from] ?? null) === kindOf(asked[to] ?? null) ? 0.25 : 0) + 0.75 * dice;
  };
}

function kindOf(element: JsonTree): string {
  if (typeof element !== "object" || element === null) return typeof element;
  const kind = getMember(element, "role") ?? getMember(element, "type");
  return typeof kind === "string"
    ? kind
    : Array.isArray(element)
      ? "array"
      : isJsonNumber(element)
        ? "number"
        : "object";
}

/** Enough of them to tell elements apart; what is longer than a word is data. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [word] of text.slice(0, 20_000).matchAll(/[\p{L}\p{N}_]+/gu))
    if (word.length <= 64) words.add(word);
  return words;
}
