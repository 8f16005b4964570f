import { pickDefined } from "../core/base/pick-defined.ts";
import type { NotedTiming, RecordedFacts } from "../core/view/run-record/recorded-facts.ts";
import type { RunCall } from "../core/view/run-record/run-record.ts";
import type { Deck } from "./deck.ts";

/** So many recordings of one run are looked at: others are drawn without what they took. */
const MOST = 2_000;

type Described = Pick<Deck, "store" | "factsOf">;

/**
 * Adds to calls what their recordings know: tokens, cost, and how the answer came when it was recorded. What the run saw
 * itself stands. A recording that is gone or broken adds nothing. Never throws.
 */
export async function completeCalls(
  calls: readonly RunCall[],
  deck: Described,
  timings: ReadonlyMap<string, NotedTiming>,
): Promise<readonly RunCall[]> {
  const facts = new Map<string, RecordedFacts>();
  for (const { entry, model } of calls)
    if (entry !== undefined && !facts.has(entry) && facts.size < MOST)
      facts.set(entry, await factsOf({ entry, model }, deck, timings.get(entry)));
  return calls.map((call) => {
    const own = call.entry === undefined ? undefined : facts.get(call.entry);
    return own === undefined ? call : completeCall(call, own);
  });
}

function completeCall(call: RunCall, facts: RecordedFacts): RunCall {
  const costUsd = call.costUsd ?? facts.costUsd;
  return {
    ...call,
    ...facts,
    ...((call.tokens ?? facts.tokens) && { tokens: { ...facts.tokens, ...call.tokens } }),
    ...pickDefined({ costUsd }),
  };
}

function factsOf(
  { entry, model }: { readonly entry: string; readonly model: string | undefined },
  { store, factsOf: read }: Described,
  noted: NotedTiming | undefined,
): Promise<RecordedFacts> {
  return store
    .read(entry)
    .then((recording) => read({ recording, model, noted }))
    .catch(() => ({}));
}
