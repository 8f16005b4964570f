import type { Key } from "../call.ts";
import type { RecordingAddress } from "./recording.ts";

/*
 * The n-th identical call gets take number n. Numbers may have gaps: an answer that was not recorded leaves its own
 * open and moves no other. Takes that rules brought here from other names come first, without gaps.
 */

type Takes = readonly Pick<RecordingAddress, "key" | "take">[];

/** The number of the last take; 0 where there is none. */
export function lastNumber(takes: Takes, key: Key): number {
  return takes.length === 0 ? 0 : numberAt(takes, takes.length - 1, key);
}

/** Where among `takes` the one of this number is; undefined where there is none. */
export function indexOfTake(takes: Takes, key: Key, number: number): number | undefined {
  // Mostly there are no gaps.
  for (let index = Math.min(number, takes.length) - 1; index >= 0; index -= 1) {
    const found = numberAt(takes, index, key);
    if (found === number) return index;
    if (found < number) return undefined;
  }
  return undefined;
}

/** What the file of a take of this number is numbered by: those that were brought here have names of their own. */
export function numberInName(takes: Takes, key: Key, number: number): number {
  return number - broughtAmong(takes, key);
}

function numberAt(takes: Takes, index: number, key: Key): number {
  const take = takes[index];
  return take?.key === key ? broughtAmong(takes, key) + take.take : index + 1;
}

function broughtAmong(takes: Takes, key: Key): number {
  if (takes[0]?.key === key) return 0;
  const first = takes.findIndex((take) => take.key === key);
  return first === -1 ? takes.length : first;
}
