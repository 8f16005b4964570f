import { partComparison, type RequestParts } from "./request-parts.ts";

/** Pairs are cheap to find and dear to look at. */
const MOST_PAIRS = 16;

/**
 * Pairs of requests that differ in one part only, the one that a JSON pointer leads into: what a rule about that place
 * could make one call of. By hashes, so that each pair is to be looked at; some of them where there are many.
 */
export function findTwins(
  all: Iterable<number>,
  partsOf: (number: number) => RequestParts | undefined,
  pointer: string,
): readonly (readonly [number, number])[] {
  const { elsewhere, inAll } = partComparison(pointer);
  const first = new Map<number, { readonly number: number; readonly whole: number }>();
  const pairs: (readonly [number, number])[] = [];
  for (const number of all) {
    const parts = partsOf(number);
    if (parts === undefined || parts.length === 0) continue;
    const rest = elsewhere(parts);
    const known = first.get(rest);
    const whole = inAll(parts);
    if (known === undefined) first.set(rest, { number, whole });
    else if (known.whole !== whole && pairs.push([known.number, number]) === MOST_PAIRS) break;
  }
  return pairs;
}
