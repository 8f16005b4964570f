import { existsSync } from "node:fs";
import { readFields } from "../../core/base/lenient.ts";
import type { NotedTiming } from "../../core/view/run-record/recorded-facts.ts";
import type { RunCall } from "../../core/view/run-record/run-record.ts";
import { readLocal, updateLocal } from "../local/local-state.ts";

/**
 * How long the recordings of this machine took when they were made. Their files keep the pauses of streams alone: what
 * takes another time at every recording would be a change in every diff.
 */
const NAME = "timings";
/** Maximum number of remembered calls; the oldest are removed first. */
const MOST = 20_000;

export type Timings = ReadonlyMap<string, NotedTiming>;

/** By entry. Never throws. */
export const readTimings = async (dir: string): Promise<Timings> => timingsFrom(await readLocal(dir, NAME));

/** Adds those of the calls that were recorded. @throws TapedeckError `tapedeck_cassette` where the disk refuses. */
export async function noteTimings(dir: string, calls: readonly RunCall[]): Promise<void> {
  const made = calls.flatMap(({ outcome, entry, ms, firstByteMs }) =>
    outcome === "recorded" && entry !== undefined ? [[entry, { ms, firstByteMs }] as const] : [],
  );
  if (made.length === 0 || !existsSync(dir)) return;
  await updateLocal(dir, NAME, (now) => {
    const known = new Map<string, { readonly ms: number; readonly firstByteMs?: number | undefined }>(
      timingsFrom(now),
    );
    for (const [entry, timing] of made) {
      known.delete(entry);
      known.set(entry, timing);
    }
    const newest = [...known].slice(-MOST);
    return Object.fromEntries(
      newest.map(([entry, { ms, firstByteMs }]) => [
        entry,
        firstByteMs === undefined ? [ms] : [ms, firstByteMs],
      ]),
    );
  });
}

function timingsFrom(value: unknown): Timings {
  return new Map(
    Object.entries(readFields(value)).flatMap(([entry, pair]) => {
      if (!Array.isArray(pair) || !pair.every((one) => typeof one === "number" && one >= 0)) return [];
      const [ms, firstByteMs] = pair as readonly (number | undefined)[];
      if (ms === undefined) return [];
      return [[entry, { ms, ...(firstByteMs !== undefined && { firstByteMs }) }] as const];
    }),
  );
}
