import { fieldsOf, isFields, isText, isTexts, type Fields } from "../protocol/reading/lenient.ts";
import type { Again } from "./again.ts";
import type { Overview, PartRow } from "./overview.ts";
import { savedMs, sentIn } from "./sums.ts";
import type { UsageTest } from "../usage/usage.ts";

/** What the page of an overview shows. Plain, and not larger where a folder is. */
export interface OverviewData {
  /** How many days it is about. */
  readonly period: number;
  readonly overview: Omit<Overview, "latest" | "tests" | "recordings">;
  readonly runs: readonly ShownRun[];
  readonly tests: {
    readonly count: number;
    /** Those that cost most to record again, and those that take longest. */
    readonly dearest: readonly PartRow<TestPart>[];
    readonly slowest: readonly PartRow<TestPart>[];
  };
  readonly recordings: {
    readonly again: Again;
    readonly unreadable: number;
    /** Undefined until a whole run was seen. */
    readonly unused: { readonly count: number; readonly bytes: number } | undefined;
    readonly blobBytes: number;
  };
  /** Recordings are being read of which no note told. */
  readonly reading?: { readonly done: number; readonly all: number };
}

interface TestPart {
  readonly test: UsageTest;
}

export interface ShownRun {
  readonly id: string;
  /** "2026-11-23" */
  readonly day: string;
  readonly at: number;
  readonly ms: number;
  readonly mode: string;
  readonly replayed: number;
  readonly sent: number;
  readonly missing: number;
  readonly paidUsd: number;
  readonly savedUsd: number;
  readonly savedMs: number;
}

/** So many tests are shown for each reason. */
const TESTS = 10;
/** So many models and providers are. */
const PARTS = 50;

/** `dayOf`: the day of this machine's calendar, of milliseconds since the epoch. */
export function overviewData(overview: Overview, dayOf: (at: number) => string): OverviewData {
  const { latest, tests, recordings, ...rest } = overview;
  const { again, unreadable, unused, blobs } = recordings;
  return {
    period: rest.days.length,
    overview: { ...rest, models: rest.models.slice(0, PARTS), providers: rest.providers.slice(0, PARTS) },
    runs: latest.map((run) => ({
      id: run.id,
      day: dayOf(run.at),
      at: run.at,
      ms: run.ms,
      mode: run.mode,
      replayed: run.all.outcomes.replayed,
      sent: sentIn(run.all),
      missing: run.all.outcomes.miss,
      paidUsd: run.all.paid.costUsd,
      savedUsd: run.all.saved.costUsd,
      savedMs: savedMs(run.all),
    })),
    tests: {
      count: tests.length,
      dearest: most(tests, ({ costUsd }) => costUsd),
      slowest: most(tests, ({ ms }) => ms),
    },
    recordings: {
      again,
      unreadable: unreadable.length,
      unused: unused && { count: unused.length, bytes: unused.reduce((sum, { bytes }) => sum + bytes, 0) },
      blobBytes: blobs.bytes,
    },
  };
}

function most(tests: Overview["tests"], measure: (again: Again) => number): readonly PartRow<TestPart>[] {
  return tests
    .filter(({ again }) => measure(again) > 0)
    .sort((a, b) => measure(b.again) - measure(a.again))
    .slice(0, TESTS);
}

/** A part of the Calls view: what a number leads to. */
export interface CallsPart {
  readonly provider?: string;
  readonly model?: string;
  readonly test?: UsageTest;
  readonly state?: "missing" | "stale" | "broken";
}

/** What the page asks of the editor. */
export type OverviewRequest =
  | { readonly type: "ready" }
  | { readonly type: "start" }
  | { readonly type: "period"; readonly days: number }
  | { readonly type: "calls"; readonly part: CallsPart }
  | { readonly type: "run"; readonly id: string };

/** The periods that can be chosen, in days. */
export const PERIODS: readonly number[] = [7, 30, 90];

/** A message of a page, where it is one of these. */
export function overviewRequestFrom(message: unknown): OverviewRequest | undefined {
  const { type, days, part, id } = fieldsOf(message);
  if (type === "ready" || type === "start") return { type };
  if (type === "period" && PERIODS.some((known) => known === days)) return { type, days: Number(days) };
  if (type === "run" && typeof id === "string") return { type, id };
  if (type === "calls" && isFields(part)) return { type, part: partFrom(part) };
  return undefined;
}

function partFrom({ provider, model, test, state }: Fields): CallsPart {
  return {
    ...(typeof provider === "string" && { provider }),
    ...(typeof model === "string" && { model }),
    ...(isTest(test) && { test }),
    ...((state === "missing" || state === "stale" || state === "broken") && { state }),
  };
}

function isTest(value: unknown): value is UsageTest {
  const { file, name } = fieldsOf(value);
  return isText(file) && isTexts(name);
}
