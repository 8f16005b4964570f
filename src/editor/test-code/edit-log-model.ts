import { movedLine, type LineEdit } from "../test-discovery/line-edits-model.ts";

/** What became of a file's lines since a runner read it. Times are milliseconds since the epoch. */
export interface EditLog {
  edited(edits: readonly LineEdit[]): void;
  /** The text is on disk now. */
  saved(at: number): void;
  /** What was not saved is given up. */
  reverted(): void;
  /**
   * Where a line that a runner told at a time stands in the text now, or, where that is asked for, in the text on
   * disk; undefined where it was taken away.
   */
  lineNow(line: number, at: number, onDisk?: boolean): number | undefined;
}

/** So many changes of line numbers are followed; of what was told before them nothing is known any more. */
const MAX_EDITS = 5_000;

export function createEditLog(): EditLog {
  let edits: LineEdit[] = [];
  /** How many edits had been made at each save, oldest first. */
  let saves: { readonly at: number; readonly edits: number }[] = [];
  let lost = 0;

  return {
    edited(more) {
      edits.push(...more.filter(({ removed, added }) => removed > 0 || added > 0));
      const over = edits.length - MAX_EDITS;
      if (over <= 0) return;
      edits = edits.slice(over);
      lost += over;
    },
    saved(at) {
      const count = lost + edits.length;
      saves = saves.filter((save) => save.edits !== count || save.at <= at);
      if (saves.at(-1)?.edits !== count) saves.push({ at, edits: count });
    },
    reverted() {
      edits.length = Math.max(0, (saves.at(-1)?.edits ?? 0) - lost);
    },
    lineNow(line, at, onDisk = false) {
      const from = saves.findLast((save) => save.at <= at)?.edits ?? 0;
      if (from < lost) return undefined;
      return edits
        .slice(from - lost, onDisk ? Math.max(0, (saves.at(-1)?.edits ?? 0) - lost) : undefined)
        .reduce<number | undefined>((now, edit) => (now === undefined ? now : movedLine(now, edit)), line);
    },
  };
}
