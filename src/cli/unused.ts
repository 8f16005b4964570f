import type { Recording, RecordingAddress } from "../core/cassette/recording.ts";
import { instantOf } from "../core/view/age.ts";
import { testName, type Usage } from "./usage.ts";

/**
 * Why a recording counts as unused, as a sentence; undefined where it was used or where that cannot be told.
 * A recording of a test is judged when its test ran again, so that running one test condemns no other's.
 */
export function whyUnused(
  address: RecordingAddress,
  recording: Recording,
  { usage, isStale }: { readonly usage: Usage; readonly isStale: boolean },
): string | undefined {
  const lastUsed = instantOf(usage.entries[address.entry] ?? recording.recordedAt) ?? 0;
  const { test } = recording;
  const ownTest = isStale ? undefined : test;
  const ran = ownTest === undefined ? usage.lastRun : usage.tests[testName(ownTest)];
  if (ran === undefined || lastUsed >= (instantOf(ran) ?? 0)) return undefined;
  return ownTest === undefined
    ? `No call asked for it in the last run (${ran}).`
    : `Its test ran again (${ran}) and did not ask for it.`;
}
