import { isJsonArray, isJsonObject, type JsonTree } from "../../core/json/json-tree.ts";
import { addTo } from "../../core/group-by.ts";

/** A text of a request: a value, or the name of a member, which only a whole literal can be. */
interface RequestText {
  readonly text: string;
  readonly isName: boolean;
}

/** Every text of a request's body, in the order in which `withTexts` puts them back. */
export function textsOf(tree: JsonTree): readonly RequestText[] {
  const texts: RequestText[] = [];
  withTexts(tree, (text) => {
    texts.push(text);
    return text.text;
  });
  return texts;
}

/** The body with every text as `change` gives it. */
export function withTexts(tree: JsonTree, change: (text: RequestText) => string): JsonTree {
  if (typeof tree === "string") return change({ text: tree, isName: false });
  if (isJsonArray(tree)) return tree.map((one) => withTexts(one, change));
  if (tree === null || typeof tree !== "object" || !isJsonObject(tree)) return tree;
  return {
    members: tree.members.map(([name, value]) => [
      change({ text: name, isName: true }),
      withTexts(value, change),
    ]),
  };
}

/** Where a literal stands in the texts of a request. */
export interface Region {
  /** Index into the texts. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  /** What was done to the literal before it was sent: an index into `FORMS`. */
  readonly form: number;
}

/** What programs do to a text before they send it. */
export const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.trim(),
  dedent,
  (text) => dedent(text).trim(),
  (text) => text.replaceAll(/^[ \t]+/gmu, ""),
  (text) => text.replaceAll(/^[ \t]+/gmu, "").trim(),
];

/** Shorter literals count only where they are a whole text: `a` is a part of everything. */
const SHORTEST_PART = 4;

/**
 * Which literals a request is made of, and where: the longest first, so that a literal counts only where no longer
 * one explains the same text.
 */
export function sourcesOf(
  texts: readonly RequestText[],
  literals: Iterable<string>,
): ReadonlyMap<string, readonly Region[]> {
  const taken = texts.map((): Region[] => []);
  const found = new Map<string, Region[]>();
  for (const literal of [...new Set(literals)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))) {
    const form = FORMS.findIndex((_, index) => regionsIn(texts, literal, index).length > 0);
    if (form < 0) continue;
    for (const region of regionsIn(texts, literal, form)) {
      const others = taken[region.at] ?? [];
      if (others.some((other) => region.from < other.to && other.from < region.to)) continue;
      others.push(region);
      addTo(found, literal, region);
    }
  }
  return found;
}

/** Whether a literal stands anywhere in these texts: a cheap look before `sourcesOf`. */
export function standsIn(texts: readonly RequestText[], literal: string): boolean {
  return FORMS.some((_, form) => regionsIn(texts, literal, form).length > 0);
}

function regionsIn(texts: readonly RequestText[], literal: string, form: number): readonly Region[] {
  const wanted = FORMS[form]?.(literal) ?? "";
  if (wanted === "" || (form > 0 && wanted === literal)) return [];
  return texts.flatMap(({ text, isName }, at) => {
    if (text === wanted) return [{ at, from: 0, to: text.length, form }];
    return isName || wanted.length < SHORTEST_PART ? [] : partsIn(text, wanted, at, form);
  });
}

function partsIn(text: string, wanted: string, at: number, form: number): readonly Region[] {
  const regions: Region[] = [];
  for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + wanted.length))
    regions.push({ at, from, to: from + wanted.length, form });
  return regions;
}

/** Without the indentation that all lines after the first share. */
function dedent(text: string): string {
  const indents = text
    .split("\n")
    .slice(1)
    .filter((line) => line.trim() !== "")
    .map((line) => /^[ \t]*/u.exec(line)?.[0].length ?? 0);
  const shared = Math.min(...indents);
  if (!Number.isFinite(shared) || shared === 0) return text;
  return text
    .split("\n")
    .map((line, index) => (index === 0 ? line.trimStart() : line.slice(Math.min(shared, line.length))))
    .join("\n");
}
