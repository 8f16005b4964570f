import { type Overview, buildOverview } from "../core/view/overview/overview.ts";
import type { RunRecord } from "../core/view/run-record/run-record.ts";
import { readRunsSince } from "../storage/runs/kept-runs.ts";
import { completeCalls } from "./complete-calls.ts";
import type { Deck } from "./deck.ts";

export interface OverviewOptions {
  /** Number of days, up to that of `now`. */
  readonly days: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Runs that have not ended, and so are not written yet. */
  readonly underWay?: readonly RunRecord[];
}

/** Returns the overview of the runs of a cassette folder on this machine, with the facts of their recordings. */
export async function readOverview(
  deck: Pick<Deck, "dir" | "store" | "factsOf" | "providers">,
  { days, now, underWay = [] }: OverviewOptions,
): Promise<Overview> {
  const kept = await readRunsSince(deck.dir, noonOf(now) - days * DAY_MS);
  const runs = [...underWay, ...kept];
  // All runs at once, so that a recording that many of them replayed is read once.
  const flat = runs.flatMap((run) => run.calls);
  const calls = [...(await completeCalls(flat, deck))];
  return buildOverview({
    days: listLastDays(days, now),
    dayOf,
    runs: runs.map((run) => ({ ...run, calls: calls.splice(0, run.calls.length) })),
    upstreamOf: (name) => deck.providers.get(name)?.upstream,
  });
}

const DAY_MS = 86_400_000;
/** A day on which the clocks change does not have 24 hours, but it has a noon. */
const noonOf = (now: number): number => new Date(now).setHours(12, 0, 0, 0);

/** Returns the days that end with `now`, oldest first. */
function listLastDays(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => dayOf(noonOf(now) - (count - 1 - index) * DAY_MS));
}

/** Returns the local date of a time in milliseconds since the epoch: "2026-11-23". */
function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
