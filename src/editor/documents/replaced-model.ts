import type { DescribedRequest } from "../../core/match/read-request.ts";
import type { Difference, TestRef } from "../../core/call/call.ts";
import type { SessionState } from "../session/session-model.ts";
import { getTestId } from "../../core/call/test-names.ts";

interface ReplacedSources {
  readonly state: Pick<SessionState, "isStale" | "candidates">;
  /** All existing entries. */
  readonly entries: Iterable<string>;
  readonly testsOf: (entry: string) => readonly TestRef[];
  readonly read: (entry: string) => Promise<DescribedRequest>;
  readonly compare: (recorded: DescribedRequest, asked: DescribedRequest) => readonly Difference[];
}

/** Maximum stale recordings that are compared. A test with more has been rewritten. */
const COMPARED = 50;

/**
 * Finds the recording that a new one replaces: the stale one of the same test with the most similar request.
 * Undefined if the test has no stale recordings. Skips unreadable ones.
 */
export async function findReplacement(entry: string, sources: ReplacedSources): Promise<string | undefined> {
  const { state, entries, testsOf, read, compare } = sources;
  const tests = new Set(testsOf(entry).map(getTestId));
  const left = [...entries]
    .filter((other) => other !== entry && !state.candidates.has(other) && state.isStale(other))
    .filter((other) => testsOf(other).some((test) => tests.has(getTestId(test))))
    .slice(0, COMPARED);
  if (left.length === 0) return undefined;
  const asked = await read(entry);
  let nearest: { readonly entry: string; readonly distance: number } | undefined;
  for (const other of left) {
    const recorded = await read(other).catch(() => undefined);
    if (recorded?.provider !== asked.provider || recorded.operation !== asked.operation) continue;
    const distance = compare(recorded, asked).length;
    if (nearest === undefined || distance < nearest.distance) nearest = { entry: other, distance };
  }
  return nearest?.entry;
}
