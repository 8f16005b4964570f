import { mapGroups } from "../../base/group-by.ts";
import { formatNames, localize } from "../../base/localize.ts";
import type { Difference } from "../../call/call.ts";
import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  getMember,
  plainJson,
  type JsonObject,
  type JsonTree,
} from "../../base/json/json-tree.ts";
import { writeCanonicalJson, writeCanonicalNumber } from "../key/key.ts";
import { compareTexts, listCommon } from "./compare-text.ts";
import {
  describeData,
  describeDifference,
  findText,
  createElementPlace,
  isWord,
  getLabel,
  createMemberPlace,
  mergeNames,
  quoteExcerpt,
  shortenValue,
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

/**
 * Compares two lists. Equal elements are aligned first, so that one inserted message is one difference. Equal elements
 * in another order are one difference together.
 */
function compareArrays(recorded: List, asked: List, place: DifferencePlace, report: Report): void {
  const common = listCommon(recorded.map(writeCanonicalJson), asked.map(writeCanonicalJson));
  let [from, to] = [0, 0];
  const gaps = [...common, [recorded.length, asked.length] as const].map(([end, endAsked]) => {
    const before = recorded.slice(from, end).map((element, at) => [from + at, element] as const);
    const after = asked.slice(to, endAsked).map((element, at) => [to + at, element] as const);
    [from, to] = [end + 1, endAsked + 1];
    return { before, after };
  });
  const moved = pairElements(
    gaps.flatMap(({ before }) => before),
    gaps.flatMap(({ after }) => after),
    writeCanonicalJson,
  );
  if (moved.size > 0) report(() => describeOrder([...moved.keys()], place));
  const origins = new Set(moved.values());
  for (const { before, after } of gaps)
    comparePairs(
      before.filter((element) => !origins.has(element)),
      after.filter((element) => !moved.has(element)),
      place,
      report,
    );
}

type Element = readonly [index: number, element: JsonTree];

/** Compares elements between two equal ones: tools of one name, then messages of one role, then those that are left. */
function comparePairs(
  recorded: readonly Element[],
  asked: readonly Element[],
  place: DifferencePlace,
  report: Report,
): void {
  const alike = pairElements(recorded, asked, getKind);
  const paired = new Set(alike.values());
  const others = pairElements(
    recorded.filter((one) => !paired.has(one)),
    asked.filter((one) => !alike.has(one)),
    (element) => getToolName(element) ?? "",
  );
  const partners = new Map([...alike, ...others]);
  const known = new Set(partners.values());
  for (const one of recorded)
    if (!known.has(one)) report(() => describeElement("recorded", createElementPlace(place, ...one), one[1]));
  for (const one of asked) {
    const at = createElementPlace(place, ...one);
    const partner = partners.get(one);
    if (partner === undefined) report(() => describeElement("asked", at, one[1]));
    else compareTrees(partner[1], one[1], at, report);
  }
}

/** Maps elements of `asked` to elements of `recorded` of the same kind, each once and in order. */
function pairElements(
  recorded: readonly Element[],
  asked: readonly Element[],
  kindOf: (element: JsonTree) => string,
): ReadonlyMap<Element, Element> {
  const waiting = mapGroups(recorded, ([, element]) => kindOf(element));
  const queues = new Map(Array.from(waiting, ([kind, list]) => [kind, list.values()]));
  const pairs = new Map<Element, Element>();
  for (const one of asked) {
    const partner = queues.get(kindOf(one[1]))?.next().value;
    if (partner !== undefined) pairs.set(one, partner);
  }
  return pairs;
}

function getKind(element: JsonTree): string {
  const name = getToolName(element) ?? getMember(element, "role") ?? getMember(element, "type");
  return typeof name === "string" ? name : isJsonArray(element) ? "array" : typeof element;
}

/** Maximum elements that are named when a list has another order. */
const NAMED = 3;

/** Describes equal elements in another order: `tools in another order: tools[0] (search)`. */
function describeOrder(moved: readonly Element[], place: DifferencePlace): Difference {
  const names = moved.map(([index, element]) =>
    isScalar(element)
      ? shortenValue(element)
      : nameElement(createElementPlace(place, index, element), element),
  );
  const text = localize("{0} in another order: {1}", getLabel(place), formatNames(names, NAMED));
  return { at: place.pointer, kind: "changed", text };
}

/** Returns the label of an element. Tools are shown by their names. */
function nameElement({ label }: DifferencePlace, element: JsonTree): string {
  const name = getToolName(element);
  return name === undefined ? label : `${label} (${name})`;
}

/** Describes an element that only one of the lists has. */
function describeElement(side: "recorded" | "asked", place: DifferencePlace, element: JsonTree): Difference {
  const text = isScalar(element) ? undefined : findText(plainJson(element));
  return describeDifference({
    at: place.pointer,
    label: nameElement(place, element),
    [side]: text === undefined || text.trim() === "" ? shortenValue(element) : quoteExcerpt(text),
    isLong: getToolName(element) !== undefined,
  });
}
