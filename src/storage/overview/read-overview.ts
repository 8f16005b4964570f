import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { OwnPrices } from "../../core/view/prices/own-prices.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import { describeReply } from "../../core/view/describe.ts";
import { type CountedRecording, type Overview, buildOverview } from "../../core/view/overview/overview.ts";
import { processInPortions } from "../../core/base/portions.ts";
import type { ProviderTable } from "../../core/protocol/registry.ts";
import { readRecordedFacts } from "../../core/view/run-record/recorded-facts.ts";
import { completeCall, type RecordedFacts, type RunRecord } from "../../core/view/run-record/run-record.ts";
import { groupRecordingsByTest } from "../../core/view/usage/test-recordings.ts";
import type { JudgedRecording } from "../../core/view/usage/unused.ts";
import { isUsageKnown } from "../../core/view/usage/usage.ts";
import { parseInstant } from "../../core/base/age.ts";
import { createTestJudge } from "../check/test-presence.ts";
import { createTestFinder } from "../check/test-presence.ts";
import { readUsage } from "../local/usage-file.ts";
import { readRunsSince } from "../runs/kept-runs.ts";
import { type Timings, readTimings } from "../runs/timings.ts";
import { BLOBS } from "../folder/blobs.ts";
import { isWithoutLinks } from "../folder/read-file.ts";

export interface OverviewSources {
  /** The cassette folder. */
  readonly dir: string;
  readonly store: Pick<CassetteStore, "list" | "read">;
  readonly providers: ProviderTable;
  /** Folders to which the files of tests are relative. */
  readonly roots: readonly string[];
  /** The user's own. */
  readonly prices: OwnPrices;
  /** How many days, up to that of `now`, which is in milliseconds since the epoch. */
  readonly days: number;
  readonly now: number;
  /** Runs that are not over, and so not written yet. */
  readonly underWay?: readonly RunRecord[];
}

/** The overview of a cassette folder, and notices for a person about its notes: sentences. */
export async function readOverview(
  sources: OverviewSources,
): Promise<{ readonly overview: Overview; readonly notices: readonly string[] }> {
  const { dir, roots, providers, store, now, underWay = [] } = sources;
  const days = lastDays(sources.days, now);
  const { usage, broken } = await readUsage(dir);
  const timings = await readTimings(dir);
  const read = await processInPortions(await store.list(), (address) => readOne(address, timings, sources));
  const judged = read.flatMap((one) => one.judged ?? []);
  const isUnused = async (): Promise<ReadonlySet<string>> => {
    const judge = await createTestJudge(usage, judged, createTestFinder(roots));
    return new Set(judged.filter((one) => judge.why(one) !== undefined).map(({ address }) => address.entry));
  };
  const facts = new Map(read.flatMap((one) => (one.facts ? [[one.counted.entry, one.facts] as const] : [])));
  const kept = await readRunsSince(dir, startOf(sources.days, now));
  const overview = buildOverview({
    days,
    dayOf,
    runs: [...underWay, ...kept].map((run) => completeRun(run, facts)),
    upstreamOf: (name) => providers.get(name)?.upstream,
    recordings: read.map(({ counted }) => counted),
    byTest: groupRecordingsByTest(usage, judged),
    unused: isUsageKnown(usage) ? await isUnused() : undefined,
    blobBytes: readBlobSizes(dir).bytes,
  });
  return { overview, notices: broken === undefined ? [] : [broken] };
}

function completeRun(run: RunRecord, facts: ReadonlyMap<string, RecordedFacts>): RunRecord {
  const calls = run.calls.map((call) => {
    const known = call.entry === undefined ? undefined : facts.get(call.entry);
    return known === undefined ? call : completeCall(call, known);
  });
  return { ...run, calls };
}

const DAY_MS = 86_400_000;
/** A day with a change of clocks has not 24 hours, but a noon. */
const noonOf = (now: number): number => new Date(now).setHours(12, 0, 0, 0);

/** The days that end with `now`, oldest first. */
function lastDays(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => dayOf(noonOf(now) - (count - 1 - index) * DAY_MS));
}

const startOf = (days: number, now: number): number => noonOf(now) - days * DAY_MS;

/** "2026-11-23": the day of this machine's calendar; `at` in milliseconds since the epoch. */
function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A file that cannot be read is counted as such; `tapedeck check` gives the reason. */
async function readOne(
  address: RecordingAddress,
  timings: Timings,
  { dir, store, providers, prices }: OverviewSources,
): Promise<{
  readonly counted: CountedRecording;
  readonly judged?: JudgedRecording;
  readonly facts?: RecordedFacts;
}> {
  const { entry, provider } = address;
  const stats = lstatSync(join(dir, entry), { throwIfNoEntry: false });
  const counted = { entry, provider, bytes: stats?.size ?? 0 };
  try {
    const recording = await store.read(entry);
    const reply = describeReply(recording, providers, { prices });
    const { projection, cost } = reply;
    const stream = recording.reply.waitsMs?.reduce((sum, ms) => sum + ms, 0);
    return {
      counted: {
        ...counted,
        model: recording.model ?? projection.model,
        cost,
        ms: timings.get(entry)?.ms ?? stream,
      },
      facts: readRecordedFacts(reply, timings.get(entry)),
      judged: {
        address,
        recordedAt: parseInstant(recording.recordedAt) ?? 0,
        arrivedAt: stats?.ctimeMs ?? 0,
        test: recording.test,
      },
    };
  } catch {
    return { counted: { ...counted, isBroken: true } };
  }
}

/** Returns the number and total size of large binary parts in a cassette folder. Links are not followed. */
export function readBlobSizes(dir: string): { readonly files: number; readonly bytes: number } {
  const folder = join(dir, BLOBS);
  if (!isWithoutLinks(dir, BLOBS) || lstatSync(folder, { throwIfNoEntry: false }) === undefined)
    return { files: 0, bytes: 0 };
  const sizes = readdirSync(folder).map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }));
  return { files: sizes.length, bytes: sizes.reduce((sum, stats) => sum + (stats?.size ?? 0), 0) };
}
