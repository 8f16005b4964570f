import type { TestRef } from "../../call/call.ts";
import { addTo } from "../../base/group-by.ts";
import { fieldsOf, isText, isTexts, listOf } from "../../base/lenient.ts";

/** Names a test where its executions do not matter. */
export type UsageTest = Pick<TestRef, "file" | "name" | "id">;

/** An entry and when it last answered a call, or was recorded. All times are milliseconds since the epoch. */
export interface Use {
  readonly entry: string;
  readonly at: number;
}

/** A run that came to its end, and when it began. */
export interface UsageRun {
  readonly id: string;
  readonly at: number;
}

/** What a test used. */
export interface TestUse {
  readonly test: UsageTest;
  /** In order of use: of its last whole execution, and what executions that were not whole added since. */
  readonly uses: readonly Use[];
  /** The runs in which it was executed as a whole: it passed, and every call was answered. Oldest first. */
  readonly runs: readonly UsageRun[];
  /** Files besides its own from which its calls were made. */
  readonly callers: readonly string[];
}

/** Which recordings were used, as far as this machine has seen. */
export interface RecordingUsage {
  /** Runs that ended well and whose every call was answered, oldest first; the last ones. */
  readonly runs: readonly UsageRun[];
  /** By `usageId`. */
  readonly tests: ReadonlyMap<string, TestUse>;
  /** By entry, when it was last used, also by calls of no known test. */
  readonly entries: ReadonlyMap<string, number>;
  /** Uses before this may have been forgotten; 0 where none was. */
  readonly since: number;
}

export const NO_USAGE: RecordingUsage = { runs: [], tests: new Map(), entries: new Map(), since: 0 };

export function usageId({ file, name, id }: UsageTest): string {
  return JSON.stringify([file, name, ...(id === undefined ? [] : [id])]);
}

/** Whether enough was seen to call anything unused. */
export function isUsageKnown(usage: RecordingUsage): boolean {
  return usage.runs.length > 0 || [...usage.tests.values()].some(({ runs }) => runs.length > 0);
}

/** What a test used when it was last executed, in order of use. */
export function usesOf(
  usage: RecordingUsage,
  { file, name }: Pick<UsageTest, "file" | "name">,
): readonly Use[] {
  const wanted = JSON.stringify([file, name]);
  const found = new Map<string, Use>();
  for (const { test, uses } of usage.tests.values()) {
    if (test.file !== file || JSON.stringify([test.file, test.name]) !== wanted) continue;
    for (const use of uses) if (!found.has(use.entry)) found.set(use.entry, use);
  }
  return [...found.values()];
}

/** Which tests used each entry when they were last executed. Goes through everything once. */
export function usersByEntry(usage: RecordingUsage): ReadonlyMap<string, readonly TestUse[]> {
  const users = new Map<string, TestUse[]>();
  for (const test of usage.tests.values()) for (const { entry } of test.uses) addTo(users, entry, test);
  return users;
}

const VERSION = 3;

/** What is written of usage: pairs in place of objects, because there may be very many. */
export function usageToJson(usage: RecordingUsage): unknown {
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
export function usageFromJson(value: unknown): RecordingUsage {
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
