import { mapGroups } from "../../base/group-by.ts";
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
import { compareTexts, listCommon } from "./compare-text.ts";
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

/** Reports every difference between two values, in wire order; nothing where they are equal. */
export function compareTrees(
  recorded: JsonTree,
  asked: JsonTree,
  place: DifferencePlace,
  report: Report,
): void {
  if (typeof recorded === "string" && typeof asked === "string" && areTexts(recorded, asked)) {
    if (recorded !== asked) compareTexts(recorded, asked, place, report);
  } else if (isJsonObject(recorded) && isJsonObject(asked)) {
    compareObjects(recorded, asked, place, report);
  } else if (isJsonArray(recorded) && isJsonArray(asked)) {
    compareArrays(recorded, asked, place, report);
  } else if (!isSameValue(recorded, asked)) {
    report(() => describeChanged(recorded, asked, place));
  }
}

/** Whether two strings are compared by sentence: not as data or single words. */
const areTexts = (one: string, other: string): boolean =>
  (describeData(one) ?? describeData(other)) === undefined && !(isWord(one) && isWord(other));

function describeChanged(recorded: JsonTree, asked: JsonTree, place: DifferencePlace): Difference {
  return describeDifference({
    at: place.pointer,
    label: getLabel(place),
    recorded: shortenValue(recorded),
    asked: shortenValue(asked),
  });
}

function isSameValue(a: JsonTree, b: JsonTree): boolean {
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b;
  return (
    isJsonNumber(a) && isJsonNumber(b) && writeCanonicalNumber(a.number) === writeCanonicalNumber(b.number)
  );
}

function compareObjects(
  recorded: JsonObject,
  asked: JsonObject,
  place: DifferencePlace,
  report: Report,
): void {
  const [before, after] = [new Map(recorded.members), new Map(asked.members)];
  for (const name of mergeNames([...before.keys()], [...after.keys()])) {
    const [old, now] = [before.get(name), after.get(name)];
    if (old !== undefined && now !== undefined) {
      const isText = typeof old === "string" && typeof now === "string";
      compareTrees(old, now, createMemberPlace(place, name, isText), report);
    } else {
      const { pointer, label } = createMemberPlace(place, name, false);
      report(() =>
        describeDifference({
          at: pointer,
          label,
          recorded: old === undefined ? undefined : shortenValue(old),
          asked: now === undefined ? undefined : shortenValue(now),
          isLong: !isScalar(old ?? now ?? null),
        }),
      );
    }
  }
}

const isScalar = (tree: JsonTree): boolean => tree === null || typeof tree !== "object" || isJsonNumber(tree);

type List = readonly JsonTree[];

/** Compares two lists. Equal elements are aligned first, so that one inserted message is one difference. */
function compareArrays(recorded: List, asked: List, place: DifferencePlace, report: Report): void {
  const common = listCommon(recorded.map(writeCanonicalJson), asked.map(writeCanonicalJson));
  let [from, to] = [0, 0];
  for (const [end, endAsked] of [...common, [recorded.length, asked.length] as const]) {
    const old = recorded.slice(from, end).map((element, at) => [from + at, element] as const);
    const now = asked.slice(to, endAsked).map((element, at) => [to + at, element] as const);
    comparePairs(old, now, place, report);
    [from, to] = [end + 1, endAsked + 1];
  }
}

type Element = readonly [index: number, element: JsonTree];

/** Compares elements between two equal ones: tools of one name, then messages of one role, then those that are left. */
function comparePairs(
  recorded: readonly Element[],
  asked: readonly Element[],
  place: DifferencePlace,
  report: Report,
): void {
  const partners = new Map<Element, JsonTree>();
  let left = recorded;
  for (const kindOf of [getKind, getToolName]) {
    const waiting = mapGroups(left, ([, element]) => kindOf(element) ?? "");
    const queues = new Map(Array.from(waiting, ([kind, list]) => [kind, list.values()]));
    const paired = new Set<Element>();
    for (const one of asked) {
      const partner = partners.has(one) ? undefined : queues.get(kindOf(one[1]) ?? "")?.next().value;
      if (partner === undefined) continue;
      partners.set(one, partner[1]);
      paired.add(partner);
    }
    left = left.filter((one) => !paired.has(one));
  }
  for (const [index, element] of left)
    report(() => describeElement("recorded", createElementPlace(place, index, element), element));
  for (const one of asked) {
    const at = createElementPlace(place, ...one);
    const partner = partners.get(one);
    if (partner === undefined) report(() => describeElement("asked", at, one[1]));
    else compareTrees(partner, one[1], at, report);
  }
}

function getKind(element: JsonTree): string {
  const name = getToolName(element) ?? getMember(element, "role") ?? getMember(element, "type");
  return typeof name === "string" ? name : isJsonArray(element) ? "array" : typeof element;
}

/** Describes an element that only one of the lists has. Tools are shown by their names. */
function describeElement(
  side: "recorded" | "asked",
  { pointer, label }: DifferencePlace,
  element: JsonTree,
): Difference {
  const name = getToolName(element);
  const text = isScalar(element) ? undefined : getTreeText(element);
  return describeDifference({
    at: pointer,
    label: name === undefined ? label : `${label} (${name})`,
    [side]: text === undefined || text.trim() === "" ? shortenValue(element) : quoteExcerpt(text),
    isLong: name !== undefined,
  });
}
