import type { Difference } from "../../call.ts";
import { commonSubsequence } from "./align.ts";
import type { Report } from "./comparison.ts";
import { excerpts, quoteExcerpt, readable } from "./excerpt.ts";
import { labelOf, type Place } from "./place.ts";
import { changedWords, markedWords } from "./word-changes.ts";

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
