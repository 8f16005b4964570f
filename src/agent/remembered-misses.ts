import { pickDefined } from "../core/base/pick-defined.ts";
import { getTestId } from "../core/call/test-names.ts";
import { isKey } from "../core/cassette/address.ts";
import type { RunCall, RunRecord } from "../core/view/run-record/run-record.ts";
import type { Deck } from "../deck/deck.ts";
import type { OpenMiss } from "./agent-project.ts";

/** The requests of missed calls, as far as they are known, by key. A test is that of the run, for calls that name none. */
export type KnownMisses = ReadonlyMap<string, Pick<OpenMiss, "miss" | "again" | "test">>;

/**
 * Returns the calls that were missing when their test last ran and that no recording answers now, newest first.
 * `runs`: newest first.
 */
export function listOpenMisses(
  runs: readonly RunRecord[],
  known: KnownMisses,
  deck: Pick<Deck, "store" | "answerTo">,
): readonly OpenMiss[] {
  const found = new Map<string, OpenMiss>();
  const settled = new Set<string>();
  for (const { calls, startedAt } of runs) {
    const ofRun = new Set<string>();
    for (const call of calls) {
      const test = getTestId(call.test);
      ofRun.add(test);
      const miss = settled.has(test) ? undefined : readOpenMiss(call, startedAt, known);
      if (miss === undefined || isAnswered(miss, deck)) continue;
      const id = `${miss.key} ${test}`;
      found.set(id, { ...miss, count: (found.get(id)?.count ?? 0) + 1 });
    }
    for (const test of ofRun) settled.add(test);
  }
  return [...found.values()].sort((one, other) => other.at - one.at);
}

function readOpenMiss(
  { outcome, key, provider, operation, model, label, test, at, status, note }: RunCall,
  startedAt: number,
  known: KnownMisses,
): OpenMiss | undefined {
  if (outcome !== "miss" || !isKey(key)) return undefined;
  const request = known.get(key);
  // Only a damaged recording is reported with the status of a failure.
  const isBroken = status !== undefined;
  return {
    key,
    provider,
    operation,
    ...pickDefined({ model }),
    label,
    at: startedAt + at,
    count: 1,
    ...request,
    test: test ?? request?.test,
    ...(isBroken ? { broken: note ?? "" } : { note }),
  };
}

function isAnswered(
  { key, provider, miss, broken }: OpenMiss,
  deck: Pick<Deck, "store" | "answerTo">,
): boolean {
  if (broken !== undefined) return false;
  if (miss !== undefined) return deck.answerTo(miss) !== undefined;
  return deck.store.takes(provider, key).length > 0;
}
