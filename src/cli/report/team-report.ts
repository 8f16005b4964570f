import { countText, plural } from "../../core/plural.ts";
import type { Deck } from "../../deck/deck.ts";

export interface TeamReport {
  /** The name of the cache, without credentials; null if recordings that were downloaded before answered. */
  readonly cache: string | null;
  readonly answered: number;
  readonly brought: number;
  /** Calls whose recordings were uploaded. */
  readonly added: number;
  /** Calls whose recordings could not be uploaded. */
  readonly unsent: number;
  /** Why objects of the cache were not used. Each is a call that missed. */
  readonly refused: readonly string[];
  /** Why the cache was not used any more at the end of the run. */
  readonly trouble: string | null;
}

/** Counts from now on; the function that it returns gives the counts at any time. */
export function followTeam({ engine, team }: Deck): (() => TeamReport) | undefined {
  if (team === undefined) return undefined;
  let answered = 0;
  engine.onCall(({ outcome, entry }) => {
    if (outcome === "replayed" && entry !== null && team.isTeams(entry)) answered += 1;
  });
  return () => ({ cache: team.name ?? null, answered, ...team.counts(), trouble: team.trouble() ?? null });
}

/** Lines for people; none if nothing of a team was used. */
export function teamLines({
  cache,
  answered,
  brought,
  added,
  unsent,
  refused,
}: TeamReport): readonly string[] {
  const from =
    cache === null ? "recordings of the team that were downloaded before" : `the team cache ${cache}`;
  const now = brought > 0 ? ` (${plural(brought, "recording")} downloaded now)` : "";
  return [
    ...(answered > 0 || cache !== null ? [`${countText(answered)} answered from ${from}${now}.`] : []),
    ...refused,
    ...(added > 0 ? [`The recordings of ${plural(added, "call")} were uploaded to it.`] : []),
    ...(unsent > 0
      ? [
          `The recordings of ${plural(unsent, "call")} could not be uploaded and are here: tapedeck team push sends them.`,
        ]
      : []),
  ];
}
