import { countText, plural } from "../../core/plural.ts";
import type { Deck } from "../../deck/deck.ts";

export interface TeamReport {
  /** The cache's name, never with a credential; null where only what came before was read. */
  readonly cache: string | null;
  readonly scope: string;
  readonly answered: number;
  readonly brought: number;
  readonly added: number;
  /** New recordings that could not be added and are here alone. */
  readonly unsent: number;
  /** Why the cache was not asked any more, at the end of the run. */
  readonly trouble: string | null;
}

/** Counts from now on; the function that it gives says how many of what, at any time. */
export function followTeam({ engine, team }: Deck): (() => TeamReport) | undefined {
  if (team === undefined) return undefined;
  let answered = 0;
  engine.onCall(({ outcome, entry }) => {
    if (outcome === "replayed" && entry !== null && team.isTeams(entry)) answered += 1;
  });
  return () => ({
    cache: team.name ?? null,
    scope: team.scope,
    answered,
    ...team.counts(),
    trouble: team.trouble() ?? null,
  });
}

/** For people; nothing where there was nothing of the team. */
export function teamLines({ cache, answered, brought, added, unsent }: TeamReport): readonly string[] {
  const from = cache === null ? "the team's cache, brought here before" : `the team's cache ${cache}`;
  const now = brought > 0 ? ` (${plural(brought, "recording")} fetched now)` : "";
  return [
    ...(answered > 0 || cache !== null ? [`${countText(answered)} answered from ${from}${now}.`] : []),
    ...(added > 0 ? [`${plural(added, "new recording")} added to it.`] : []),
    ...(unsent > 0
      ? [
          `${plural(unsent, "new recording")} could not be added to it, and ${unsent === 1 ? "is" : "are"} here: tapedeck team push sends them.`,
        ]
      : []),
  ];
}
