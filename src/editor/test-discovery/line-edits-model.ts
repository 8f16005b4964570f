import type { TextChange } from "./find-tests-model.ts";

/** What a change of a text does to its lines, which are 1-based. */
export interface LineEdit {
  /** Where it begins. */
  readonly line: number;
  /** Nothing but blanks stands before it on that line. */
  readonly atStart: boolean;
  /** How many line breaks it takes away, and how many it brings. */
  readonly removed: number;
  readonly added: number;
}

/** `text` is the one before the change. */
export function lineEdit(text: string, change: TextChange): LineEdit {
  const { rangeOffset: start, rangeLength, text: inserted } = change;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  return {
    line: breaksIn(text, 0, start) + 1,
    atStart: text.slice(start === 0 ? 0 : lineStart, start).trim() === "",
    removed: breaksIn(text, start, start + rangeLength),
    added: breaksIn(inserted, 0, inserted.length),
  };
}

/** Where what stood on a line stands after the edit; undefined where it was taken away. */
export function movedLine(at: number, { line, atStart, removed, added }: LineEdit): number | undefined {
  if (at < line || (at === line && !atStart)) return at;
  if (at >= line + removed) return at + added - removed;
  return undefined;
}

function breaksIn(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
