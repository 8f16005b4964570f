import { overviewOf, type Overview } from "../../core/overview/overview.ts";
import { addRun, NO_DAY } from "../../core/overview/day.ts";
import { sumsOfRun } from "../../core/overview/run-sums.ts";
import { callsIn } from "../../core/overview/sums.ts";
import type { RunRecord } from "../../core/run-record/run-record.ts";
import { costOfFacts, type Pricing } from "../../core/overview/recording-facts.ts";
import { recordingsByTest } from "../../core/usage/test-recordings.ts";
import type { JudgedRecording } from "../../core/usage/unused.ts";
import { isUsageKnown, type Usage, type UsageTest } from "../../core/usage/usage.ts";
import { judgeOf } from "../check/judge.ts";
import { createTestFinder } from "../check/test-presence.ts";
import { blobSizes } from "../folder/blob-sizes.ts";
import { readUsage } from "../local/usage-file.ts";
import { readTimings } from "../runs/timings.ts";
import { dayOf, lastDays, readDays } from "./day-files.ts";
import { readFacts, type FactSources, type KnownRecording } from "./read-facts.ts";
import type { OwnPrices } from "../../core/budget/own-prices.ts";
import { testId } from "../../core/test-names.ts";

export interface OverviewSources extends FactSources {
  /** Folders to which the files of tests are relative. */
  readonly roots: readonly string[];
  /** The user's own. */
  readonly prices: OwnPrices;
  /** How many days, up to that of `now`, which is in milliseconds since the epoch. */
  readonly days: number;
  readonly now: number;
  /** Runs that are not over, and so in no day yet. */
  readonly underWay?: readonly RunRecord[];
}

/** The overview of a cassette folder, and what a person should hear of its notes: sentences. */
export async function readOverview(
  sources: OverviewSources,
): Promise<{ readonly overview: Overview; readonly notices: readonly string[] }> {
  const { dir, roots, prices, providers, now } = sources;
  const days = lastDays(sources.days, now);
  const { usage, broken } = await readUsage(dir);
  const timings = await readTimings(dir);
  const known = await readFacts(sources);
  const pricing: Pricing = { prices, upstreamOf: (name) => providers.get(name)?.upstream };
  const recordings = known.map(({ address: { entry, provider }, bytes, facts }) => ({
    entry,
    provider,
    bytes,
    facts,
    cost: facts && costOfFacts(provider, facts, pricing),
    ms: timings.get(entry)?.ms ?? facts?.streamMs,
  }));
  const judged = known.flatMap(judgedOf);
  const noted = new Map((await readDays(dir, days)).map(({ day, sums }) => [day, sums]));
  for (const run of sources.underWay ?? []) {
    const sums = sumsOfRun(run, pricing.upstreamOf);
    const day = dayOf(sums.at);
    if (callsIn(sums.all) > 0) noted.set(day, addRun(noted.get(day) ?? NO_DAY, sums));
  }
  const overview = overviewOf({
    days,
    noted,
    recordings,
    byTest: recordingsByTest(usage, judged),
    unused: isUsageKnown(usage) ? await unusedOf(usage, judged, roots) : undefined,
    blobs: blobSizes(dir),
  });
  return { overview, notices: broken === undefined ? [] : [broken] };
}

function judgedOf({ address, arrivedAt, facts }: KnownRecording): readonly JudgedRecording[] {
  if (facts === undefined) return [];
  const { recordedAt, test } = facts;
  return [{ address, recordedAt, arrivedAt, ...(test && { test }) }];
}

async function unusedOf(
  usage: Usage,
  judged: readonly JudgedRecording[],
  roots: readonly string[],
): Promise<ReadonlySet<string>> {
  const named = new Map<string, { readonly test: UsageTest }>();
  for (const { test } of new Set(judged)) if (test) named.set(testId(test), { test });
  const judge = await judgeOf(usage, [...named.values()], createTestFinder(roots));
  return new Set(judged.flatMap((one) => (judge.why(one) === undefined ? [] : [one.address.entry])));
}
