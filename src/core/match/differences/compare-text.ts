import { localize } from "../../base/localize.ts";
import type { Difference } from "../../call/call.ts";
import { excerpt, getLabel, quoteExcerpt, clarify, type DifferencePlace, type Report } from "./wording.ts";

/** One stretch of sentences that differ, as indices into both lists; ends are exclusive. */
interface Hunk {
  readonly recorded: readonly [start: number, end: number];
  readonly asked: readonly [start: number, end: number];
}

/** Compares two texts that are not equal by sentence. A line break ends a sentence. */
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
  for (const [i, j] of [...listCommon(before, after), [before.length, after.length] as const]) {
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
 * Origins in the places of values ("<uuid 1>"), words including inner punctuation, single characters of scripts without
 * spaces, runs of whitespace, and single punctuation marks.
 */
const TOKEN =
  /<(?:now: [^<>]+|[\w-]+(?: [\w.-]+)*)>|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}_]+(?:[-.=/:@'’][\p{L}\p{N}_]+)*|\s+|[^\p{L}\p{N}_\s]/gu;

/** Splits two texts into common strings and changes, alternating. Blanks between two changes belong to the changes. */
export function diffWords(recorded: string, asked: string): readonly (string | WordChange)[] {
  const [before, now] = [tokensOf(recorded), tokensOf(asked)];
  const pieces: (string | WordChange)[] = [];
  let from: readonly [number, number] = [0, 0];
  for (const [i, j] of [...listCommon(before, now), [before.length, now.length] as const]) {
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
function quoteChanges(recorded: string, asked: string): string {
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
function markWords(recorded: string, asked: string): string {
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

/** Above this product of the two lengths, only equal beginnings and ends are found. */
const MOST_COMPARED = 1_000_000;

/** Returns the indices of equal elements in both lists, in order, as many as possible (longest common subsequence). */
export function listCommon(
  a: readonly string[],
  b: readonly string[],
): readonly (readonly [number, number])[] {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const middle = listCommonOf(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [
    ...Array.from({ length: head }, (_, at) => [at, at] as const),
    ...middle.map(([i, j]) => [head + i, head + j] as const),
    ...Array.from({ length: tail }, (_, at) => [a.length - tail + at, b.length - tail + at] as const),
  ];
}

function listCommonOf(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  if (a.length * b.length > MOST_COMPARED) return [];
  const width = b.length + 1;
  // The length of the longest common subsequence of the rests that begin at two indices.
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1));
  const common: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) common.push([i++, j++]);
    else {
      // Among subsequences of one length, elements that keep their index win.
      const [withoutFirst, withoutOther] = [at(i + 1, j), at(i, j + 1)];
      if (withoutFirst > withoutOther || (withoutFirst === withoutOther && i <= j)) i += 1;
      else j += 1;
    }
  }
  return common;
}
