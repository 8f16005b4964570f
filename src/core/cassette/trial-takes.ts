import type { Key, TestRef } from "../call/call.ts";
import type { RecordingAddress } from "./recording.ts";
import type { CassetteStore } from "./store.ts";
import { isTapedeckError } from "../base/errors.ts";
import { getTestId } from "../call/test-names.ts";

/** The takes that one trial recorded for a call: one row or repetition of a test, whatever worker runs it. */
export interface TrialTakes {
  /** Equal for all executions of the trial, retries included. */
  readonly name: string;
  /** In the order in which the trial made its calls, as of the last `refresh`. */
  readonly takes: readonly RecordingAddress[];
  refresh(): Promise<void>;
}

export function createTrialTakes(
  store: CassetteStore,
  { provider, key, test }: { readonly provider: string; readonly key: Key; readonly test: TestRef },
): TrialTakes {
  const name = trialName(test);
  let takes: readonly RecordingAddress[] = [];
  return {
    name: `${name}\n${key}`,
    get takes() {
      return takes;
    },
    async refresh() {
      takes = (await takesByTrial(store.takes(provider, key), store)).get(name) ?? [];
    },
  };
}

const trialName = (test: TestRef): string => `${getTestId(test)} ${test.trial ?? 1}`;

type ByTrial = ReadonlyMap<string, readonly RecordingAddress[]>;

/** A store gives the same list for as long as its takes are the same, so each list is read once. */
const read = new WeakMap<readonly RecordingAddress[], Promise<ByTrial>>();

function takesByTrial(takes: readonly RecordingAddress[], store: CassetteStore): Promise<ByTrial> {
  const known = read.get(takes) ?? readTrials(takes, store);
  read.set(takes, known);
  return known;
}

async function readTrials(takes: readonly RecordingAddress[], store: CassetteStore): Promise<ByTrial> {
  const byTrial = new Map<string, RecordingAddress[]>();
  for (const take of takes) {
    const test = await testOf(take, store);
    if (test === undefined) continue;
    const name = trialName(test);
    byTrial.set(name, [...(byTrial.get(name) ?? []), take]);
  }
  return byTrial;
}

/** A take that is broken, or was deleted since, belongs to no trial. */
async function testOf({ entry }: RecordingAddress, store: CassetteStore): Promise<TestRef | undefined> {
  try {
    return (await store.read(entry)).test;
  } catch (error) {
    if (isTapedeckError(error)) return undefined;
    throw error;
  }
}
