import type { Difference } from "../../call.ts";
import { commonSubsequence } from "./align.ts";
import { excerpts, labelOf, quoteExcerpt, readable, type Place, type Report } from "./wording.ts";

/** One stretch of sentences that differ, as indices into both lists; ends are exclusive. */
interface Hunk {
  readonly recorded: readonly [start: number, end: number];
  readonly asked: readonly [start: number, end: number];
}

/** Tells two texts that are not equal apart, sentence by sentence (a line ends a sentence). */
export function compareTexts(recorded: string, asked: string, place: Place, report: Report): void {
  const before = sentences(recorded);
  const after = sentences(asked);
  const hunks = hunksOf(before, after);
  if (hunks.length === 0) {
    report(() => describeChange(place, `${labelOf(place)}, white space`, [recorded, asked]));
    return;
  }
  const single =
    hunks.length === 1 && hunks[0]?.asked[1] === after.length && hunks[0]?.recorded[1] === before.length;
  const whole = single && hunks[0]?.asked[0] === 0 && hunks[0].recorded[0] === 0;
  for (const hunk of hunks) {
    report(() => {
      if (whole) return describeChange(place, labelOf(place), [recorded, asked]);
      return hunkDifference(hunk, before, after, place);
    });
  }
}

function hunkDifference(
  hunk: Hunk,
  before: readonly string[],
  after: readonly string[],
  place: Place,
): Difference {
  const gone = before.slice(...hunk.recorded).join(" ");
  const come = after.slice(...hunk.asked).join(" ");
  const base = { at: place.pointer, kind: "changed" } as const;
  if (come === "") {
    const text = `${labelOf(place)}, ${countText(hunk.recorded)} removed: ${quoteExcerpt(gone)}`;
    return { ...base, recorded: quoteExcerpt(gone), text };
  }
  const label = `${labelOf(place)}, ${countText(hunk.asked)}`;
  if (gone === "")
    return { ...base, asked: quoteExcerpt(come), text: `${label} added: ${quoteExcerpt(come)}` };
  return describeChange(place, label, [gone, come]);
}

function describeChange(
  place: Place,
  label: string,
  [recorded, asked]: readonly [string, string],
): Difference {
  const base = { at: place.pointer, kind: "changed" } as const;
  const shown = excerpts(recorded, asked);
  if (shown === undefined) return { ...base, text: `${label}: other data` };
  const difference = { ...base, recorded: shown[0], asked: shown[1] };
  const read = readable(recorded, asked);
  const words = read === undefined ? "" : changedWords(...read);
  if (read === undefined || words === "")
    return { ...difference, text: `${label}: − ${shown[0]} + ${shown[1]}` };
  return { ...difference, text: `${label}: ${words}`, marked: markedWords(...read) };
}

/** "sentence 3" or "sentences 3–5", counted from 1. */
function countText([start, end]: readonly [number, number]): string {
  return end - start === 1 ? `sentence ${end}` : `sentences ${start + 1}–${end}`;
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

/** A piece of a text that changed: what stood there, and what stands there now. One of them may be "". */
export interface WordChange {
  readonly recorded: string;
  readonly asked: string;
}

/** Words with the signs inside them, and scripts without blanks by character; what stands between goes with neither. */
const TOKEN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}_]+(?:[-.=/:@'’][\p{L}\p{N}_]+)*|\s+|[^\p{L}\p{N}_\s]/gu;

/** Two texts as what both have, as a text, and what changed, in turns. Blanks between two changes belong to them. */
export function wordChanges(recorded: string, asked: string): readonly (string | WordChange)[] {
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

/** Characters of a change, and the number of changes that are shown. */
const LENGTH = 40;
const SHOWN = 3;

/** What changed between two texts, in words: `"terse" → "brief"`; empty where only blanks did. */
export function changedWords(recorded: string, asked: string): string {
  const changes = wordChanges(recorded, asked)
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

/** So much is shown of what both texts have before, between and after changes, and of a change. */
const AROUND = 40;
const MARKED = 160;

/** The changes within their texts, as git marks words: `You are [-terse-]{+brief+}.` */
export function markedWords(recorded: string, asked: string): string {
  const pieces = wordChanges(recorded, asked);
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
