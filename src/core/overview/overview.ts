import { groupBy } from "../group-by.ts";
import type { TestRecordings } from "../usage/test-recordings.ts";
import type { UsageTest } from "../usage/usage.ts";
import { addAgain, allAgain, NOTHING_AGAIN, type Again, type Costed } from "./again.ts";
import { joinDays, NO_DAY, type Day, type RunRow } from "./day.ts";
import { idOfModel, type ModelSums } from "./run-sums.ts";
import { addSums, NO_SUMS, sentIn, type Sums } from "./sums.ts";
import { pickDefined } from "../pick-defined.ts";
import { testId } from "../test-names.ts";

/** A folder's recordings and this machine's runs at a glance. Costs and savings are estimates: see `docs/overview.md`. */
export interface Overview {
  /** Every day of the period, oldest first, whether anything ran in it or not. */
  readonly days: readonly DayRow[];
  readonly runs: number;
  readonly sums: Sums;
  /** Runs of the period, newest first. */
  readonly latest: readonly RunRow[];
  /** Those of the period and of the recordings; what costs or saves most comes first. */
  readonly providers: readonly PartRow<{ readonly provider: string }>[];
  readonly models: readonly PartRow<Pick<ModelSums, "provider" | "model">>[];
  readonly tests: readonly PartRow<{ readonly test: UsageTest }>[];
  readonly recordings: RecordingsPart;
}

export interface DayRow {
  /** "2026-11-23". */
  readonly day: string;
  readonly runs: number;
  readonly sums: Sums;
}

/** What calls of the period came to, and what recording again would take. */
export type PartRow<T> = T & { readonly sums: Sums; readonly again: Again };

export interface RecordingsPart {
  readonly again: Again;
  /** Entries of those that cannot be read. */
  readonly unreadable: readonly string[];
  /** Entries that the last whole runs did not ask for, largest first; undefined until such a run was seen. */
  readonly unused: readonly { readonly entry: string; readonly bytes: number }[] | undefined;
  readonly blobs: { readonly files: number; readonly bytes: number };
}

export interface OverviewParts {
  readonly days: readonly string[];
  /** By day. */
  readonly noted: ReadonlyMap<string, Day>;
  readonly recordings: readonly Costed[];
  /** Which test uses which of them. */
  readonly byTest: readonly TestRecordings[];
  readonly unused: ReadonlySet<string> | undefined;
  readonly blobs: RecordingsPart["blobs"];
}

/** So many runs are listed. */
const LATEST = 500;

export function overviewOf(parts: OverviewParts): Overview {
  const { days, noted, recordings, unused, blobs } = parts;
  const whole = joinDays(days.flatMap((day) => noted.get(day) ?? []));
  const models = modelRows(whole, recordings);
  return {
    days: days.map((day) => {
      const { runs, all } = noted.get(day) ?? NO_DAY;
      return { day, runs, sums: all };
    }),
    runs: whole.runs,
    sums: whole.all,
    latest: whole.latest.toSorted((a, b) => b.at - a.at).slice(0, LATEST),
    providers: providerRows(models),
    models,
    tests: testRows(whole, parts),
    recordings: {
      again: models.reduce((all, { again }) => addAgain(all, again), NOTHING_AGAIN),
      unreadable: recordings.flatMap(({ entry, facts }) => (facts === undefined ? [entry] : [])),
      unused:
        unused &&
        recordings
          .filter(({ entry }) => unused.has(entry))
          .map(({ entry, bytes }) => ({ entry, bytes }))
          .sort((a, b) => b.bytes - a.bytes),
      blobs,
    },
  };
}

/** The sums of their models. */
function providerRows(models: Overview["models"]): Overview["providers"] {
  const rows = groupBy(models, ({ provider }) => provider).map((group) => ({
    provider: group[0]?.provider ?? "",
    sums: group.reduce((all, { sums }) => addSums(all, sums), NO_SUMS),
    again: group.reduce((all, { again }) => addAgain(all, again), NOTHING_AGAIN),
  }));
  return rows.sort(dearestFirst);
}

function modelRows({ models }: Day, recordings: readonly Costed[]): Overview["models"] {
  const sums = new Map(models.map((one) => [idOfModel(one), one]));
  const names = new Map<string, Pick<ModelSums, "provider" | "model">>();
  const again = againBy(recordings, ({ provider, facts }) => {
    const model = facts?.model;
    const name = { provider, ...pickDefined({ model }) };
    const id = idOfModel(name);
    names.set(id, name);
    return id;
  });
  return rowsOf(sums, again, (id) => names.get(id) ?? { provider: "" });
}

function testRows({ tests }: Day, { recordings, byTest }: OverviewParts): Overview["tests"] {
  const sums = new Map(tests.map((one) => [testId(one.test), one]));
  const byEntry = new Map(recordings.map((one) => [one.entry, one]));
  const named = new Map(byTest.map(({ test }) => [testId(test), test]));
  const again = new Map(
    byTest.map(({ test, uses }) => [
      testId(test),
      allAgain(uses.flatMap(({ entry }) => byEntry.get(entry) ?? [])),
    ]),
  );
  return rowsOf(sums, again, (id) => ({ test: named.get(id) ?? { file: "", name: [] } }));
}

function againBy(
  recordings: readonly Costed[],
  nameOf: (recording: Costed) => string,
): ReadonlyMap<string, Again> {
  const groups = groupBy(recordings, nameOf);
  return new Map(groups.flatMap((group) => (group[0] ? [[nameOf(group[0]), allAgain(group)] as const] : [])));
}

/** What has sums, what has recordings, and what has both; the dearest first. */
function rowsOf<T extends object>(
  sums: ReadonlyMap<string, T & { readonly sums: Sums }>,
  again: ReadonlyMap<string, Again>,
  nameOf: (id: string) => T,
): readonly PartRow<T>[] {
  const ids = new Set([...sums.keys(), ...again.keys()]);
  const rows = [...ids].map((id) => ({
    ...(sums.get(id) ?? { ...nameOf(id), sums: NO_SUMS }),
    again: again.get(id) ?? NOTHING_AGAIN,
  }));
  return rows.sort(dearestFirst);
}

type Weighed = PartRow<object>;

function dearestFirst(a: Weighed, b: Weighed): number {
  return (
    weightOf(b) - weightOf(a) ||
    sentIn(b.sums) - sentIn(a.sums) ||
    b.sums.outcomes.replayed - a.sums.outcomes.replayed ||
    b.again.recordings - a.again.recordings
  );
}

function weightOf({ sums, again }: Weighed): number {
  return Math.max(again.costUsd, sums.paid.costUsd, sums.saved.costUsd);
}
