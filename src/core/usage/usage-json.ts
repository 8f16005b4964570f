import { fieldsOf, isText, isTexts, listOf } from "../protocol/reading/lenient.ts";
import { NO_USAGE, usageId, type TestUse, type Usage, type UsageRun, type Use } from "./usage.ts";

const VERSION = 3;

/** What is written of usage: pairs in place of objects, because there may be very many. */
export function usageToJson(usage: Usage): unknown {
  return {
    version: VERSION,
    since: usage.since,
    runs: usage.runs.map(({ id, at }) => [id, at]),
    tests: [...usage.tests.values()].map(({ test, uses, runs, callers }) => ({
      ...test,
      uses: uses.map(({ entry, at }) => [entry, at]),
      runs: runs.map(({ id, at }) => [id, at]),
      callers,
    })),
    entries: Object.fromEntries(usage.entries),
  };
}

/** Reads what was written; what is none of it, or of another version, is left out. Never throws. */
export function usageFromJson(value: unknown): Usage {
  const { version, since, tests: noted, runs, entries } = fieldsOf(value);
  if (version !== VERSION) return NO_USAGE;
  const tests = listOf(noted).flatMap((one) => testFrom(one) ?? []);
  return {
    runs: runsFrom(runs),
    tests: new Map(tests.map((one) => [usageId(one.test), one])),
    entries: timesFrom(entries),
    since: isTime(since) ? since : 0,
  };
}

function testFrom(value: unknown): TestUse | undefined {
  const { file, name, id, uses, runs, callers } = fieldsOf(value);
  if (!isText(file) || !isTexts(name)) return undefined;
  return {
    test: { file, name, ...(isText(id) && { id }) },
    uses: pairs(uses).map(([entry, at]): Use => ({ entry, at })),
    runs: runsFrom(runs),
    callers: isTexts(callers) ? callers : [],
  };
}

const runsFrom = (value: unknown): readonly UsageRun[] => pairs(value).map(([id, at]) => ({ id, at }));

function timesFrom(value: unknown): ReadonlyMap<string, number> {
  return new Map(Object.entries(fieldsOf(value)).filter((pair): pair is [string, number] => isTime(pair[1])));
}

function pairs(value: unknown): readonly (readonly [string, number])[] {
  return listOf(value).filter(
    (pair): pair is readonly [string, number] =>
      Array.isArray(pair) && typeof pair[0] === "string" && isTime(pair[1]),
  );
}

const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
