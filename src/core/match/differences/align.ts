/** Two places that belong together, or one that has no counterpart. Indices into the two lists. */
export interface Pair {
  readonly recorded?: number;
  readonly asked?: number;
  /** Both are equal, but stand among other ones. */
  readonly moved?: true;
}

/** Above these products of two lengths the exact way would take too long, and places are paired by position. */
const MAX_EQUAL = 1_000_000;
const MAX_SIMILAR = 10_000;
/** Among ways of the same length, the one is better on which more stands where it stood. */
const STAYED = 1 + 1e-7;
/** What is less alike than this has nothing to do with one another. */
const ALIKE = 0.25;

/** How alike the places at two indices are, 0 to 1. */
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

/** Index asked for to index recorded, of what is equal but not in `same`. */
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
export function commonSubsequence(
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
