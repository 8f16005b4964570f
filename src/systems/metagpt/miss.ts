import { takeCodePoints } from "../../client/code-points.ts";
import { chatError, type ChatError } from "../../client/errors.ts";
import { findNearestKeys } from "./cache/nearest-keys.ts";
import type { Method } from "./keys.ts";

/** A known key that is similar to the missing one. */
export interface NearKey {
  readonly key: string;
  /** Describes the first difference of the two keys in one line. */
  readonly difference: string;
}

/** A call has no entry in the cache. */
export interface CacheMiss extends ChatError {
  readonly key: string;
  readonly method: Method;
  readonly nearest: readonly NearKey[];
  readonly cacheFile: string;
}

/** Text of MetaGPT's error for a miss, including its final blank. */
export function describeCacheMiss(cacheFile: string): string {
  return `In current test setting, api call is not allowed, you should properly mock your tests, or add expected api response in ${cacheFile}. `;
}

interface MissFacts {
  readonly key: string;
  readonly method: Method;
  readonly cacheFile: string;
  readonly known: readonly string[];
}

export function createCacheMiss({ key, method, cacheFile, known }: MissFacts): CacheMiss {
  const nearest = findNearestKeys(key, known).map(({ key: other, start }) => ({
    key: other,
    difference: differenceAt(key, other, start),
  }));
  const [first] = nearest;
  const near =
    first === undefined ? "Nothing is recorded yet." : `The nearest known key differs ${first.difference}.`;
  const hint = `${near} Allow live calls once (ALLOW_OPENAI_API_CALL=1) and let the test pass, and the answer is written to ${cacheFile}.`;
  const error = chatError("not-recorded", describeCacheMiss(cacheFile), { hint, retryable: false });
  return Object.assign(error, { key, method, nearest, cacheFile });
}

export function isCacheMiss(value: unknown): value is CacheMiss {
  return typeof value === "object" && value !== null && "cacheFile" in value && "nearest" in value;
}

function differenceAt(key: string, known: string, at: number): string {
  const excerpt = (text: string): string => {
    const rest = takeCodePoints(text.slice(at), 30);
    return rest === "" ? "its end" : JSON.stringify(rest);
  };
  return `from character ${at + 1} on: ${excerpt(known)} there, ${excerpt(key)} here`;
}
