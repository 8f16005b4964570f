import { localize } from "../../core/base/localize.ts";
import type { UnusedReason } from "../../core/view/usage/unused.ts";

/** Returns a sentence that explains why a recording counts as unused, with the runs that show it. */
export function describeUnused({ by, times, first, last }: UnusedReason): string {
  const lately = new Date(last).toISOString();
  if (by === "test")
    return times === 1
      ? localize("Its test ran again ({0}) without using it.", lately)
      : localize("Its test ran again {0} times (last {1}) without using it.", times, lately);
  return times === 1
    ? localize("The last complete run ({0}) did not use it.", lately)
    : localize(
        "The last {0} complete runs did not use it (since {1}).",
        times,
        new Date(first).toISOString(),
      );
}
