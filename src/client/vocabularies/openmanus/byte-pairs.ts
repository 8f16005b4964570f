/** The ranks of tokens: a text, or bytes where they are no text. */
export type Ranks = readonly (string | readonly number[])[];

/**
 * How many tokens a text is, as tiktoken counts: cut into pieces by a pattern, each piece a token, or pairs of bytes
 * joined by rank. gpt-tokenizer's own reader takes a byte order mark at a pair's begin for nothing.
 */
export function countPairs(ranks: Ranks, pieces: RegExp): (text: string) => number {
  const rankOf = new Map<string, number>();
  // By forEach, which passes over ranks that no token has.
  ranks.forEach((token, rank) =>
    rankOf.set(typeof token === "string" ? token : keyOf(Uint8Array.from(token)), rank),
  );
  const countPiece = (piece: string): number =>
    rankOf.has(piece)
      ? 1
      : countAfterJoining(new TextEncoder().encode(piece), (bytes) => rankOf.get(keyOf(bytes)));
  return (text) => (text.match(pieces) ?? []).reduce((sum, piece) => sum + countPiece(piece), 0);
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text where the bytes are some, else their numbers behind what no text begins with. */
function keyOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return `\ud800${bytes.join()}`;
  }
}

/** How many tokens are left when the pair of the lowest rank is joined, again and again. */
function countAfterJoining(bytes: Uint8Array, rankOf: (pair: Uint8Array) => number | undefined): number {
  const begins = Array.from(bytes, (_, at) => at);
  const rankAt = (at: number): number => {
    const [begin, end] = [begins[at], begins[at + 2] ?? bytes.length];
    return begin === undefined || at + 1 >= begins.length
      ? Number.POSITIVE_INFINITY
      : (rankOf(bytes.subarray(begin, end)) ?? Number.POSITIVE_INFINITY);
  };
  const ranks = begins.map((_, at) => rankAt(at));
  for (;;) {
    const lowest = lowestOf(ranks);
    if (lowest === undefined) return begins.length;
    begins.splice(lowest + 1, 1);
    ranks.splice(lowest + 1, 1);
    ranks[lowest] = rankAt(lowest);
    if (ranks[lowest - 1] !== undefined) ranks[lowest - 1] = rankAt(lowest - 1);
  }
}

/** Where the lowest rank is, the first of several; undefined where no pair has one. */
function lowestOf(ranks: readonly number[]): number | undefined {
  let found: number | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  for (const [at, rank] of ranks.entries())
    if (rank < lowest) {
      lowest = rank;
      found = at;
    }
  return found;
}
