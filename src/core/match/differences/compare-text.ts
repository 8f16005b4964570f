import { localize } from "../../base/localize.ts";
import type { Difference } from "../../call/call.ts";
import { excerpt, getLabel, quoteExcerpt, clarify, type DifferencePlace, type Report } from "./wording.ts";

/** One stretch of sentences that differ, as indices into both lists; ends are exclusive. */
interface Hunk {
  readonly recorded: readonly [start: number, end: number];
  readonly asked: readonly [start: number, end: number];
}

/** Tells two texts that are not equal apart, sentence by sentence (a line ends a sentence). */
export function compareTexts(recorded: string, asked: string, place: DifferencePlace, report: Report): void {
  const before = sentences(recorded);
  const after = sentences(asked);
  const hunks = hunksOf(before, after);
  if (hunks.length === 0) {
    report(() => describeChange(place, localize("{0}, white space", getLabel(place)), [recorded, asked]));
    return;
  }
  const single =
    hunks.length === 1 && hunks[0]?.asked[1] === after.length && hunks[0]?.recorded[1] === before.length;
  const whole = single && hunks[0]?.asked[0] === 0 && hunks[0].recorded[0] === 0;
  for (const hunk of hunks) {
    report(() => {
      if (whole) return describeChange(place, getLabel(place), [recorded, asked]);
      return hunkDifference(hunk, before, after, place);
    });
  }
}

function hunkDifference(
  hunk: Hunk,
  before: readonly string[],
  after: readonly string[],
  place: DifferencePlace,
): Difference {
  const gone = before.slice(...hunk.recorded).join(" ");
  const come = after.slice(...hunk.asked).join(" ");
  const base = { at: place.pointer, kind: "changed" } as const;
  if (come === "") {
    const text = localize("{0} removed: {1}", sentencesLabel(place, hunk.recorded), quoteExcerpt(gone));
    return { ...base, recorded: quoteExcerpt(gone), text };
  }
  const label = sentencesLabel(place, hunk.asked);
  if (gone === "")
    return {
      ...base,
      asked: quoteExcerpt(come),
      text: localize("{0} added: {1}", label, quoteExcerpt(come)),
    };
  return describeChange(place, label, [gone, come]);
}

function describeChange(
  place: DifferencePlace,
  label: string,
  [recorded, asked]: readonly [string, string],
): Difference {
  const base = { at: place.pointer, kind: "changed" } as const;
  const shown = excerpt(recorded, asked);
  if (shown === undefined) return { ...base, text: localize("{0}: other data", label) };
  const difference = { ...base, recorded: shown[0], asked: shown[1] };
  const read = clarify(recorded, asked);
  const words = read === undefined ? "" : quoteChanges(...read);
  if (read === undefined || words === "")
    return { ...difference, text: `${label}: − ${shown[0]} + ${shown[1]}` };
  return { ...difference, text: `${label}: ${words}`, marked: markWords(...read) };
}

/** "system, sentence 3" or "system, sentences 3–5", counted from 1. */
function sentencesLabel(place: DifferencePlace, [start, end]: readonly [number, number]): string {
  return end - start === 1
    ? localize("{0}, sentence {1}", getLabel(place), end)
    : localize("{0}, sentences {1}–{2}", getLabel(place), start + 1, end);
}

function sentences(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?…]["')\]]?)[ \t]+|(?<=[。！？])|[\r\n]+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

function hunksOf(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let from: readonly [number, number] = [0, 0];
  for (const [i, j] of [...commonSubsequence(before, after), [before.length, after.length] as const]) {
    if (i > from[0] || j > from[1]) hunks.push({ recorded: [from[0], i], asked: [from[1], j] });
    from = [i + 1, j + 1];
  }
  return hunks;
}

/** A changed part of a text, before and after. One of them may be "". */
export interface WordChange {
  readonly recorded: string;
  readonly asked: string;
}

/**
 * Words including inner punctuation, single characters of scripts without spaces, runs of whitespace, and single
 * punctuation marks.
 */
const TOKEN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}_]+(?:[-.=/:@'’][\p{L}\p{N}_]+)*|\s+|[^\p{L}\p{N}_\s]/gu;

/** Splits two texts into common strings and changes, alternating. Blanks between two changes belong to the changes. */
export function diffWords(recorded: string, asked: string): readonly (string | WordChange)[] {
  const [before, now] = [tokensOf(recorded), tokensOf(asked)];
  const pieces: (string | WordChange)[] = [];
  let from: readonly [number, number] = [0, 0];
  for (const [i, j] of [...commonSubsequence(before, now), [before.length, now.length] as const]) {
    const change = { recorded: before.slice(from[0], i).join(""), asked: now.slice(from[1], j).join("") };
    if (change.recorded !== "" || change.asked !== "") add(pieces, change);
    if (j < now.length) add(pieces, now[j] ?? "");
    from = [i + 1, j + 1];
  }
  return pieces;
}

const tokensOf = (text: string): readonly string[] => text.match(TOKEN) ?? [];

function add(pieces: (string | WordChange)[], piece: string | WordChange): void {
  const last = pieces.at(-1);
  if (typeof piece === "string") {
    if (typeof last === "string") pieces[pieces.length - 1] = last + piece;
    else pieces.push(piece);
    return;
  }
  const before = pieces.at(-2);
  if (typeof last === "string" && /^\s*$/.test(last) && typeof before === "object") {
    pieces.length -= 2;
    pieces.push({
      recorded: before.recorded + last + piece.recorded,
      asked: before.asked + last + piece.asked,
    });
  } else pieces.push(piece);
}

/** Maximum characters of a change, and maximum number of changes shown. */
const LENGTH = 40;
const SHOWN = 3;

/** Describes the changes between two texts: `"terse" → "brief"`; empty if only whitespace changed. */
export function quoteChanges(recorded: string, asked: string): string {
  const changes = diffWords(recorded, asked)
    .filter((piece) => typeof piece !== "string")
    .filter((change) => `${change.recorded}${change.asked}`.trim() !== "");
  const shown = changes.slice(0, SHOWN).map((change) => {
    const [was, is] = [short(change.recorded), short(change.asked)];
    if (was === "") return `${is} added`;
    return is === "" ? `${was} removed` : `${was} → ${is}`;
  });
  const more = changes.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function short(words: string): string {
  const text = words.trim();
  return text === "" ? "" : `"${cut(text, LENGTH)}"`;
}

/** Maximum characters shown of the common text on each side of a change, and of the change itself. */
const AROUND = 40;
const MARKED = 160;

/** Shows the changes within their texts in git's word-diff format: `You are [-terse-]{+brief+}.` */
export function markWords(recorded: string, asked: string): string {
  const pieces = diffWords(recorded, asked);
  return pieces
    .slice(0, 2 * SHOWN + 1)
    .map((piece, index) => {
      if (typeof piece === "string")
        return around(piece, { isFirst: index === 0, isLast: index === pieces.length - 1 });
      const was = piece.recorded === "" ? "" : `[-${cut(piece.recorded, MARKED)}-]`;
      return piece.asked === "" ? was : `${was}{+${cut(piece.asked, MARKED)}+}`;
    })
    .join("");
}

function around(
  text: string,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): string {
  const characters = Array.from(text);
  if (characters.length <= (isFirst || isLast ? AROUND : 2 * AROUND)) return text;
  const end = isLast ? "" : characters.slice(-AROUND).join("");
  return isFirst ? `…${end}` : `${characters.slice(0, AROUND).join("")}…${end}`;
}

function cut(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length).join("").trimEnd()}…`;
}

/** Two places that belong together, or one that has no counterpart. Indices into the two lists. */
export interface Pair {
  readonly recorded?: number;
  readonly asked?: number;
  /** Both are equal, but stand among other ones. */
  readonly moved?: true;
}

/** Above these products of the two lengths, exact alignment would take too long, and elements are paired by index. */
const MAX_EQUAL = 1_000_000;
const MAX_SIMILAR = 10_000;
/** Weight of an element that keeps its index: among alignments of equal length, the one with more of them wins. */
const STAYED = 1 + 1e-7;
/** Minimum similarity: elements below it are unrelated. */
const ALIKE = 0.25;

/** Returns the similarity of the elements at two indices, from 0 to 1. */
type Similarity = (recorded: number, asked: number) => number;

/**
 * Aligns two lists in the order of `asked`: first what is equal (longest common subsequence), then what is equal at
 * another place, then, between two equal places, what is most alike.
 */
export function align(
  recorded: readonly string[],
  asked: readonly string[],
  similarity: Similarity,
): readonly Pair[] {
  const same = commonSubsequence(recorded, asked);
  const moves = movesAmong(recorded, asked, same);
  const away = new Set(moves.values());
  const settled: Similarity = (i, j) => (away.has(i) || moves.has(j) ? 0 : similarity(i, j));
  const pairs: Pair[] = [];
  let from: readonly [number, number] = [0, 0];
  for (const anchor of [...same, [recorded.length, asked.length] as const]) {
    pairs.push(...alignGap(range(from[0], anchor[0]), range(from[1], anchor[1]), settled));
    if (anchor[0] < recorded.length) pairs.push({ recorded: anchor[0], asked: anchor[1] });
    from = [anchor[0] + 1, anchor[1] + 1];
  }
  return pairs.flatMap((pair): readonly Pair[] => {
    const origin = pair.asked === undefined ? undefined : moves.get(pair.asked);
    if (origin !== undefined) return [{ ...pair, recorded: origin, moved: true }];
    return pair.asked === undefined && pair.recorded !== undefined && away.has(pair.recorded) ? [] : [pair];
  });
}

/** Maps the requested index to the recorded index of equal elements that are not in `same`. */
function movesAmong(
  recorded: readonly string[],
  asked: readonly string[],
  same: readonly (readonly [number, number])[],
): ReadonlyMap<number, number> {
  const known = [new Set(same.map(([i]) => i)), new Set(same.map(([, j]) => j))] as const;
  const left = new Map<string, number[]>();
  for (const [index, text] of recorded.entries()) {
    if (known[0].has(index)) continue;
    const others = left.get(text);
    if (others === undefined) left.set(text, [index]);
    else others.push(index);
  }
  const moves = new Map<number, number>();
  for (const [index, text] of asked.entries()) {
    const origin = known[1].has(index) ? undefined : left.get(text)?.shift();
    if (origin !== undefined) moves.set(index, origin);
  }
  return moves;
}

/** Indices of equal places in order, as many as there can be (where the lists are not too long for that). */
function commonSubsequence(
  a: readonly string[],
  b: readonly string[],
): readonly (readonly [number, number])[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  const most = Math.min(a.length, b.length) - head;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const size = [a.length - head - tail, b.length - head - tail] as const;
  const middle =
    size[0] * size[1] > MAX_EQUAL
      ? []
      : bestPath(size, (i, j) => (a[head + i] !== b[head + j] ? 0 : i === j ? STAYED : 1)).map(
          ([i, j]) => [head + i, head + j] as const,
        );
  return [
    ...range(0, head).map((index) => [index, index] as const),
    ...middle,
    ...range(0, tail).map((index) => [a.length - tail + index, b.length - tail + index] as const),
  ];
}

function alignGap(
  recorded: readonly number[],
  asked: readonly number[],
  similarity: Similarity,
): readonly Pair[] {
  const size = [recorded.length, asked.length] as const;
  const few = size[0] * size[1] <= MAX_SIMILAR;
  const score = (i: number, j: number): number => {
    const alike = similarity(recorded[i] ?? 0, asked[j] ?? 0);
    return alike < ALIKE ? 0 : alike;
  };
  const partners = new Map(
    few ? bestPath(size, score) : range(0, Math.min(...size)).map((index) => [index, index]),
  );
  const pairs: Pair[] = [];
  let next = 0;
  const addUpTo = (end: number): void => {
    for (; next < end; next += 1) pairs.push({ asked: asked[next] ?? 0 });
  };
  for (const [index, place] of recorded.entries()) {
    const partner = partners.get(index);
    if (partner === undefined) {
      pairs.push({ recorded: place });
      continue;
    }
    addUpTo(partner);
    pairs.push({ recorded: place, asked: asked[partner] ?? 0 });
    next = partner + 1;
  }
  addUpTo(asked.length);
  return pairs;
}

/** The way through a table from its beginning to its end that collects the highest sum of scores above 0. */
function bestPath(
  [rows, columns]: readonly [number, number],
  score: (row: number, column: number) => number,
): readonly (readonly [number, number])[] {
  const width = columns + 1;
  const best = new Float64Array((rows + 1) * width);
  const scores = new Float64Array(rows * columns);
  const at = (row: number, column: number): number => best[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const own = score(row, column);
      scores[row * columns + column] = own;
      const paired = own > 0 ? own + at(row + 1, column + 1) : 0;
      best[row * width + column] = Math.max(paired, at(row + 1, column), at(row, column + 1));
    }
  }
  const path: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < rows && column < columns;) {
    const own = scores[row * columns + column] ?? 0;
    if (own > 0 && at(row, column) === own + at(row + 1, column + 1)) path.push([row++, column++]);
    else if (at(row, column) === at(row + 1, column)) row += 1;
    else column += 1;
  }
  return path;
}

function range(start: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
}
