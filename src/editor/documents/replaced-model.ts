import type { DescribedRequest } from "../../core/match/read-request.ts";
import type { Difference, TestRef } from "../../core/call/call.ts";
import type { SessionState } from "../session/session-model.ts";
import { testId } from "../../core/call/test-names.ts";

interface ReplacedSources {
  readonly state: Pick<SessionState, "isStale" | "candidates">;
  /** Every entry that is there. */
  readonly entries: Iterable<string>;
  readonly testsOf: (entry: string) => readonly TestRef[];
  readonly read: (entry: string) => Promise<DescribedRequest>;
  readonly compare: (recorded: DescribedRequest, asked: DescribedRequest) => readonly Difference[];
}

/** More are not looked at: a test with so many stale recordings is rewritten anyhow. */
const LOOKED_AT = 50;

/**
 * The recording whose place a new one takes: the stale one of the same test that asks for what is nearest to it.
 * Undefined where the test left none behind. One that cannot be read is passed over.
 */
export async function replacedBy(entry: string, sources: ReplacedSources): Promise<string | undefined> {
  const { state, entries, testsOf, read, compare } = sources;
  const tests = new Set(testsOf(entry).map(testId));
  const left = [...entries]
    .filter((other) => other !== entry && !state.candidates.has(other) && state.isStale(other))
    .filter((other) => testsOf(other).some((test) => tests.has(testId(test))))
    .slice(0, LOOKED_AT);
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
