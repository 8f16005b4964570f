import { dollars } from "../budget/spending.ts";
import { countText, plural } from "../plural.ts";
import type { Again } from "./again.ts";
import { callsIn, savedMs, sentIn, type Sums } from "./sums.ts";

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** "0.4 s", "12 s", "3 min 20 s", "2 h 5 min": two digits that count. */
export function durationText(ms: number): string {
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return two(Math.round(ms / SECOND), 60, ["min", "s"]);
  return two(Math.round(ms / MINUTE), 60, ["h", "min"]);
}

function two(count: number, each: number, [large, small]: readonly [string, string]): string {
  const rest = count % each;
  return `${countText(Math.floor(count / each))} ${large}${rest === 0 ? "" : ` ${rest} ${small}`}`;
}

/** "1,200 replayed · 20 sent · 4 missing"; what did not happen is left out, but for replays. */
export function outcomesText(sums: Sums): string {
  const { replayed, defaulted, miss, refused } = sums.outcomes;
  const others = [
    [sentIn(sums), "sent"],
    [defaulted, "made up"],
    [miss, "missing"],
    [refused, "refused"],
  ] as const;
  const happened = others
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${countText(count)} ${what}`);
  return [`${countText(replayed)} replayed`, ...happened].join(" · ");
}

/** Of a hundred calls, how many were replayed; undefined without a call. */
export function replayedShare(sums: Sums): number | undefined {
  const calls = callsIn(sums);
  return calls === 0 ? undefined : Math.round((100 * sums.outcomes.replayed) / calls);
}

/** "about $1.20"; "nothing" where nothing was to be paid; "unknown" where nobody knows any price. */
export function moneyText({
  costUsd,
  unpriced,
}: {
  readonly costUsd: number;
  readonly unpriced: number;
}): string {
  if (costUsd > 0) return `about ${dollars(costUsd)}`;
  return unpriced > 0 ? "unknown" : "nothing";
}

/** On what the money saved is based: "by what 1,100 of 1,200 replayed calls took when they were recorded". */
export function savedMoneyBasis({ outcomes, saved }: Sums): string {
  const known = saved.calls - saved.unpricedCalls;
  return `what ${ofAll(known, outcomes.replayed, "replayed call")} cost when recorded, by list prices`;
}

export function savedTimeBasis({ outcomes, timed }: Sums): string {
  return `how long ${ofAll(timed, outcomes.replayed, "replayed call")} took when recorded, less what replaying took`;
}

export function againMoneyBasis({ recordings, unpriced }: Again): string {
  const basis = `what ${plural(recordings, "recording")} cost before, by list prices`;
  return unpriced === 0 ? basis : `${basis}; ${countText(unpriced)} of unknown price`;
}

export function againTimeBasis({ recordings, timed }: Again): string {
  return `how long ${ofAll(timed, recordings, "recording")} took before, one after the other`;
}

/** "1,100 of 1,200 replayed calls", "all 3 recordings". */
function ofAll(known: number, all: number, noun: string): string {
  const things = plural(all, noun).replace(/^[\d,]+ /, "");
  if (known < all) return `${countText(known)} of ${countText(all)} ${things}`;
  return all === 1 ? `the one ${noun}` : `all ${countText(all)} ${things}`;
}

/** Money of sums as `moneyText` takes it. */
export function savedMoney({ saved }: Sums): { readonly costUsd: number; readonly unpriced: number } {
  return { costUsd: saved.costUsd, unpriced: saved.unpricedCalls };
}

export function paidMoney({ paid }: Sums): { readonly costUsd: number; readonly unpriced: number } {
  return { costUsd: paid.costUsd, unpriced: paid.unpricedCalls };
}

export function savedTimeText(sums: Sums): string {
  return sums.timed === 0 ? "unknown" : `about ${durationText(savedMs(sums))}`;
}
