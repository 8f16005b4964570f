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
  if (property(value, "version") !== VERSION) return NO_USAGE;
  const since = property(value, "since");
  const tests = list(property(value, "tests")).flatMap((one) => testFrom(one) ?? []);
  return {
    runs: runsFrom(property(value, "runs")),
    tests: new Map(tests.map((one) => [usageId(one.test), one])),
    entries: timesFrom(property(value, "entries")),
    since: isTime(since) ? since : 0,
  };
}

function testFrom(value: unknown): TestUse | undefined {
  const file = property(value, "file");
  const name = property(value, "name");
  const id = property(value, "id");
  if (typeof file !== "string" || !isTexts(name)) return undefined;
  const callers = property(value, "callers");
  return {
    test: { file, name, ...(typeof id === "string" && { id }) },
    uses: pairs(property(value, "uses")).map(([entry, at]): Use => ({ entry, at })),
    runs: runsFrom(property(value, "runs")),
    callers: isTexts(callers) ? callers : [],
  };
}

function runsFrom(value: unknown): readonly UsageRun[] {
  return pairs(value).map(([id, at]) => ({ id, at }));
}

function timesFrom(value: unknown): ReadonlyMap<string, number> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return new Map();
  return new Map(Object.entries(value).filter((pair): pair is [string, number] => isTime(pair[1])));
}

function pairs(value: unknown): readonly (readonly [string, number])[] {
  return list(value).filter(
    (pair): pair is readonly [string, number] =>
      Array.isArray(pair) && typeof pair[0] === "string" && isTime(pair[1]),
  );
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
}
