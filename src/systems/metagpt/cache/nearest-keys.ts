/** A known key that is similar to an unknown one. */
export interface NearestKey {
  readonly key: string;
  /** Length of the common beginning in UTF-16 units. */
  readonly start: number;
}

const MOST = 3;
/** Above this many characters of known keys only their beginnings and ends are compared. */
const WORDS_LIMIT = 8_000_000;

/** Returns the known keys that are most similar to an unknown key, best first. */
export function findNearestKeys(key: string, known: readonly string[]): readonly NearestKey[] {
  const words = wordsOf(key);
  let looked = 0;
  const scored = known.map((other) => {
    looked += other.length;
    const start = commonStart(key, other);
    const ends = (start + commonEnd(key, other, start)) / Math.max(key.length, other.length);
    return { other, start, score: looked > WORDS_LIMIT ? ends : Math.max(ends, overlap(words, other)) };
  });
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST)
    .filter(({ score }) => score > 0.2)
    .map(({ other, start }) => ({ key: other, start }));
}

function commonStart(a: string, b: string): number {
  let at = 0;
  // charCodeAt gives NaN past the end, which equals nothing.
  while (a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

function commonEnd(a: string, b: string, start: number): number {
  let count = 0;
  const most = Math.min(a.length, b.length) - start;
  while (count < most && a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count))
    count += 1;
  return count;
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function overlap(words: ReadonlySet<string>, other: string): number {
  const others = wordsOf(other);
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared / Math.max(words.size, others.size, 1);
}
