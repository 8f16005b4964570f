import type { Unused } from "../../core/usage/unused.ts";

/** Why a recording counts as unused, as a sentence that says what it is based on. */
export function unusedText({ by, times, first, last }: Unused): string {
  const lately = new Date(last).toISOString();
  if (by === "test")
    return times === 1
      ? `Its test ran again (${lately}) and did not ask for it.`
      : `Its test ran again ${times} times (last ${lately}) and did not ask for it.`;
  return times === 1
    ? `No call asked for it in the last whole run (${lately}).`
    : `No test of the last ${times} whole runs used it (since ${new Date(first).toISOString()}).`;
}
