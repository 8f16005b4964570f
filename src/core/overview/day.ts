import { modeFrom } from "../call.ts";
import { fieldsOf, isText, listOf } from "../protocol/reading/lenient.ts";
import { addTo, idOfModel, type ModelSums, type RunSums, type TestSums } from "./run-sums.ts";
import { addSums, NO_SUMS, sumsFromJson, sumsToJson, type Sums } from "./sums.ts";
import { testId } from "../test-names.ts";

/** A run among others, without what it called. */
export type RunRow = Omit<RunSums, "models" | "tests">;

/** What the runs of one day came to on this machine. */
export interface Day {
  readonly runs: number;
  readonly all: Sums;
  /** The last ones, oldest first. */
  readonly latest: readonly RunRow[];
  readonly models: readonly ModelSums[];
  readonly tests: readonly TestSums[];
}

/** Bounds, so that a day's notes stay small whatever is called. What goes beyond is in the sums of all alone. */
export interface DayLimits {
  readonly runs: number;
  readonly models: number;
  readonly tests: number;
}

export const DAY_LIMITS: DayLimits = { runs: 100, models: 200, tests: 2_000 };

export const NO_DAY: Day = { runs: 0, all: NO_SUMS, latest: [], models: [], tests: [] };

export function addRun(day: Day, run: RunSums, limits: DayLimits = DAY_LIMITS): Day {
  const { models, tests, ...row } = run;
  return {
    runs: day.runs + 1,
    all: addSums(day.all, row.all),
    latest: [...day.latest, row].slice(-limits.runs),
    models: joinModels([day.models, models]).slice(0, limits.models),
    tests: joinTests([day.tests, tests]).slice(0, limits.tests),
  };
}

/** Several days as one; `latest` are those of all. */
export function joinDays(days: readonly Day[]): Day {
  return {
    runs: days.reduce((sum, { runs }) => sum + runs, 0),
    all: days.reduce((sum, { all }) => addSums(sum, all), NO_SUMS),
    latest: days.flatMap(({ latest }) => latest),
    models: joinModels(days.map(({ models }) => models)),
    tests: joinTests(days.map(({ tests }) => tests)),
  };
}

function joinModels(parts: readonly (readonly ModelSums[])[]): readonly ModelSums[] {
  return joinSums(parts, idOfModel);
}

function joinTests(parts: readonly (readonly TestSums[])[]): readonly TestSums[] {
  return joinSums(parts, ({ test }) => testId(test));
}

function joinSums<T extends { readonly sums: Sums }>(
  parts: readonly (readonly T[])[],
  nameOf: (one: T) => string,
): readonly T[] {
  const found = new Map<string, T>();
  for (const part of parts) for (const one of part) addTo(found, nameOf(one), one);
  return [...found.values()];
}

const VERSION = 1;

export function dayToJson({ runs, all, latest, models, tests }: Day): unknown {
  return {
    version: VERSION,
    runs,
    all: sumsToJson(all),
    latest: latest.map((run) => ({ ...run, all: sumsToJson(run.all) })),
    models: models.map(({ provider, model, sums }) => [provider, model ?? null, sumsToJson(sums)]),
    tests: tests.map(({ test, sums }) => [test.file, test.name, sumsToJson(sums)]),
  };
}

/** Reads what was written; what is none of it, or of another version, is left out. Never throws. */
export function dayFromJson(value: unknown): Day {
  const { version, runs, all: written, latest, models, tests } = fieldsOf(value);
  const all = sumsFromJson(written);
  if (version !== VERSION || all === undefined || typeof runs !== "number") return NO_DAY;
  return {
    runs,
    all,
    latest: listOf(latest).flatMap((one) => runFrom(one) ?? []),
    models: listOf(models).flatMap((one) => modelFrom(one) ?? []),
    tests: listOf(tests).flatMap((one) => testFrom(one) ?? []),
  };
}

function runFrom(value: unknown): RunRow | undefined {
  const { id, at, ms, mode: named, all: written } = fieldsOf(value);
  const mode = modeFrom(named);
  const all = sumsFromJson(written);
  if (typeof id !== "string" || typeof at !== "number" || typeof ms !== "number") return undefined;
  return mode === undefined || all === undefined ? undefined : { id, at, ms, mode, all };
}

function modelFrom(value: unknown): ModelSums | undefined {
  const [provider, model, written] = listOf(value);
  const sums = sumsFromJson(written);
  if (typeof provider !== "string" || sums === undefined) return undefined;
  return { provider, ...(typeof model === "string" && { model }), sums };
}

function testFrom(value: unknown): TestSums | undefined {
  const [file, name, written] = listOf(value);
  const sums = sumsFromJson(written);
  if (typeof file !== "string" || sums === undefined) return undefined;
  return { test: { file, name: listOf(name).filter(isText) }, sums };
}
