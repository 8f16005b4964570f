import { sumsOfRun } from "../core/overview/run-sums.ts";
import type { RunRecord } from "../core/run-record/run-record.ts";
import { addRunToDay } from "../storage/overview/day-files.ts";
import type { Deck } from "./deck.ts";

/**
 * Adds what a run came to, once it is over, to the sums of its day: they outlive the run itself.
 * @throws TapedeckError `tapedeck_cassette` where the disk refuses.
 */
export async function countRun(
  run: RunRecord,
  { dir, providers }: Pick<Deck, "dir" | "providers">,
): Promise<void> {
  const sums = sumsOfRun(run, (provider) => providers.get(provider)?.upstream);
  await addRunToDay(dir, sums);
}
