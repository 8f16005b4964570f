import type { Chunk } from "./literals-model.ts";

/** A literal that is no longer where it was; `now` where another stands in its place. */
export interface ChunkChange<C extends Chunk = Chunk> {
  readonly before: C;
  readonly now?: C;
}

/** More literals than this between two that are alike are not paired with one another. */
const MOST_CELLS = 4_000_000;

/**
 * What changed from one list of literals to another, in source order. Between literals that stayed, as many before as
 * now are taken for one another in order; otherwise nobody can say which became which.
 */
export function chunkChanges<C extends Chunk>(
  before: readonly C[],
  now: readonly C[],
): readonly ChunkChange<C>[] {
  const changes: ChunkChange<C>[] = [];
  let from = 0;
  let to = 0;
  const flush = (end: number, endNow: number): void => {
    const old = before.slice(from, end);
    const fresh = now.slice(to, endNow);
    const isPaired = old.length === fresh.length;
    for (const [index, chunk] of old.entries()) {
      const other = isPaired ? fresh[index] : undefined;
      changes.push({ before: chunk, ...(other && { now: other }) });
    }
  };
  for (const [index, indexNow] of common(before, now)) {
    flush(index, indexNow);
    from = index + 1;
    to = indexNow + 1;
  }
  flush(before.length, now.length);
  return changes;
}

/** Pairs of indexes of a longest common subsequence. */
function common(before: readonly Chunk[], now: readonly Chunk[]): readonly (readonly [number, number])[] {
  const isSame = (a: number, b: number): boolean => before[a]?.text === now[b]?.text;
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && isSame(start, start)) start += 1;
  let end = 0;
  while (end < shorter - start && isSame(before.length - 1 - end, now.length - 1 - end)) end += 1;
  const head = Array.from({ length: start }, (_, index) => [index, index] as const);
  const tail = Array.from(
    { length: end },
    (_, index) => [before.length - end + index, now.length - end + index] as const,
  );
  const rows = before.length - start - end;
  const columns = now.length - start - end;
  if (rows * columns > MOST_CELLS) return [...head, ...tail];
  return [...head, ...longest(rows, columns, { start, isSame }), ...tail];
}

function longest(
  rows: number,
  columns: number,
  { start, isSame }: { readonly start: number; readonly isSame: (a: number, b: number) => boolean },
): readonly (readonly [number, number])[] {
  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1)
    for (let column = columns - 1; column >= 0; column -= 1)
      lengths[row * width + column] = isSame(start + row, start + column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
  const pairs: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < rows && column < columns;) {
    if (isSame(start + row, start + column)) {
      pairs.push([start + row, start + column]);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}
