import { MOST_PAIRS } from "../rules/colliding-pairs.ts";
import type { PartsTable } from "./parts-table.ts";
import { partUnder } from "./request-parts.ts";

/**
 * Pairs of requests that differ in one part only, the one that a JSON pointer leads into: what a rule about that place
 * could make one call of. By hashes, so that each pair is to be looked at; some of them where there are many.
 */
export function findCollisionsAt(
  all: ReadonlySet<number>,
  { begins, lengths, data }: PartsTable,
  pointer: string,
): readonly (readonly [number, number])[] {
  const isLeftOut = partUnder(pointer);
  const first = createFirsts(all.size);
  const pairs: (readonly [number, number])[] = [];
  for (const number of all) {
    const begin = begins[number] ?? 0;
    const end = begin + (lengths[number] ?? 0);
    if (begin === end) continue;
    let whole = 0;
    let elsewhere = 0;
    for (let at = begin; at < end; at += 2) {
      const said = data[at + 1] ?? 0;
      whole = (whole + said) | 0;
      if (!isLeftOut(data[at] ?? 0)) elsewhere = (elsewhere + said) | 0;
    }
    const known = first(elsewhere >>> 0, whole >>> 0, number);
    if (known !== undefined && pairs.push([known, number]) === MOST_PAIRS) break;
  }
  return pairs;
}

/**
 * Remembers who came first with a hash, in flat arrays: a hundred thousand objects would take the time that there is.
 * Gives the first one where another request, by `whole`, comes with the same hash.
 */
function createFirsts(most: number): (hash: number, whole: number, number: number) => number | undefined {
  const slots = 2 ** Math.ceil(Math.log2(2 * most + 2));
  const numbers = new Int32Array(slots).fill(-1);
  const hashes = new Uint32Array(slots);
  const wholes = new Uint32Array(slots);
  return (hash, whole, number) => {
    let slot = hash & (slots - 1);
    while (numbers[slot] !== -1 && hashes[slot] !== hash) slot = (slot + 1) & (slots - 1);
    if (numbers[slot] !== -1) return wholes[slot] === whole ? undefined : numbers[slot];
    numbers[slot] = number;
    hashes[slot] = hash;
    wholes[slot] = whole;
    return undefined;
  };
}
