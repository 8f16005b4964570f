import { firstCodePoints } from "../../code-points.ts";
import { chatError, type ChatError } from "../../errors.ts";
import type { Method } from "./keys.ts";

/** A known key that is close to one that was asked for. */
export interface NearKey {
  readonly key: string;
  /** One line for a person: where the two part. */
  readonly difference: string;
}

/** The failure of a call that the cache does not answer. */
export interface CacheMiss extends ChatError {
  readonly key: string;
  readonly method: Method;
  readonly nearest: readonly NearKey[];
  readonly cacheFile: string;
}

/** MetaGPT's own words for a miss, the final blank included. */
export function missText(cacheFile: string): string {
  return `In current test setting, api call is not allowed, you should properly mock your tests, or add expected api response in ${cacheFile}. `;
}

interface MissFacts {
  readonly key: string;
  readonly method: Method;
  readonly cacheFile: string;
  readonly known: readonly string[];
}

export function cacheMiss({ key, method, cacheFile, known }: MissFacts): CacheMiss {
  const nearest = nearestKeys(key, known);
  const [first] = nearest;
  const near =
    first === undefined ? "Nothing is recorded yet." : `The nearest known key differs ${first.difference}.`;
  const hint = `${near} Allow live calls once (ALLOW_OPENAI_API_CALL=1) and let the test pass, and the answer is written to ${cacheFile}.`;
  const error = chatError("not-recorded", missText(cacheFile), { hint, retryable: false });
  return Object.assign(error, { key, method, nearest, cacheFile });
}

export function isCacheMiss(value: unknown): value is CacheMiss {
  return typeof value === "object" && value !== null && "cacheFile" in value && "nearest" in value;
}

const SHOWN = 3;
/** Above this many characters of known keys only their beginnings and ends are compared. */
const WORDS_LIMIT = 8_000_000;

/** The known keys that share most with one that is not known, best first. */
function nearestKeys(key: string, known: readonly string[]): readonly NearKey[] {
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
    .slice(0, SHOWN)
    .filter(({ score }) => score > 0.2)
    .map(({ other, start }) => ({ key: other, difference: differenceAt(key, other, start) }));
}

function commonStart(a: string, b: string): number {
  let at = 0;
  // Behind an end stands NaN, which equals nothing.
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

function differenceAt(asked: string, known: string, at: number): string {
  const excerpt = (text: string): string => {
    const rest = firstCodePoints(text.slice(at), 30);
    return rest === "" ? "its end" : JSON.stringify(rest);
  };
  return `from character ${at + 1} on: ${excerpt(known)} there, ${excerpt(asked)} here`;
}
