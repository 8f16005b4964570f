import {
  completeCall,
  type RecordedFacts,
  type RunCall,
  type RunRecord,
} from "../core/view/run-record/run-record.ts";
import { readTimings } from "../storage/runs/timings.ts";
import { withoutSecretsIn } from "../storage/runs/without-secrets.ts";
import type { Deck } from "./deck.ts";

/** Maximum number of recordings that are read for one run; calls of the others are drawn without their facts. */
const MOST = 2_000;

type DescribingDeck = Pick<Deck, "dir" | "store" | "factsOf">;

/** Returns a kept run with the facts of its recordings, and without secrets in them. Never throws. */
export async function completeRun(record: RunRecord, deck: DescribingDeck): Promise<RunRecord> {
  return withoutSecretsIn({ ...record, calls: await completeCalls(record.calls, deck) });
}

/**
 * Adds to calls the facts of their recordings: tokens, cost, and how the answer arrived when it was recorded. A run is
 * kept without them, because reading each recording costs more than the run itself. A recording that is gone or broken
 * adds nothing. Never throws.
 */
export async function completeCalls(
  calls: readonly RunCall[],
  { dir, store, factsOf }: DescribingDeck,
): Promise<readonly RunCall[]> {
  const timings = await readTimings(dir);
  const read = ({ entry = "", model }: RunCall): Promise<RecordedFacts> =>
    store
      .read(entry)
      .then((recording) => factsOf({ recording, model, noted: timings.get(entry) }))
      .catch(() => ({}));
  const facts = new Map<string, RecordedFacts>();
  for (const call of calls)
    if (lacksFacts(call) && !facts.has(call.entry) && facts.size < MOST)
      facts.set(call.entry, await read(call));
  return calls.map((call) => {
    const known = lacksFacts(call) ? facts.get(call.entry) : undefined;
    return known === undefined ? call : completeCall(call, known);
  });
}

const lacksFacts = (call: RunCall): call is RunCall & { readonly entry: string } =>
  call.entry !== undefined && call.answered === undefined;
