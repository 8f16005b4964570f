import type { TestRef } from "../../call/call.ts";
import { addTo } from "../../base/group-by.ts";
import { readFields } from "../../base/lenient.ts";

/** Identifies a test independently of its executions. */
export type UsageTest = Pick<TestRef, "file" | "name" | "id">;

/**
 * An entry with the time when it last answered a call or was recorded. All times are milliseconds since the epoch.
 */
export interface Use {
  readonly entry: string;
  readonly at: number;
}

/** A run that ended, with the time when it began. */
export interface UsageRun {
  readonly id: string;
  readonly at: number;
}

/** The recordings that a test used. */
export interface TestUse {
  readonly test: UsageTest;
  /**
   * Uses in its last whole execution, in order, followed by additional uses in later executions that were not whole.
   */
  readonly uses: readonly Use[];
  /** Runs in which it passed and all its calls were answered, oldest first. */
  readonly runs: readonly UsageRun[];
  /** Other files from which its calls were made. */
  readonly callers: readonly string[];
}

/** The use of recordings on this machine. */
export interface RecordingUsage {
  /** The most recent runs that succeeded and in which all calls were answered, oldest first. */
  readonly runs: readonly UsageRun[];
  /** By `createUsageId`. */
  readonly tests: ReadonlyMap<string, TestUse>;
  /** Time of the last use by entry, including calls outside any known test. */
  readonly entries: ReadonlyMap<string, number>;
  /** Uses before this time might have been dropped; 0 if none were. */
  readonly since: number;
}

export const NO_USAGE: RecordingUsage = { runs: [], tests: new Map(), entries: new Map(), since: 0 };

export function createUsageId({ file, name, id }: UsageTest): string {
  return JSON.stringify([file, name, ...(id === undefined ? [] : [id])]);
}

/** Returns whether there is enough data to report unused recordings. */
export function isUsageKnown(usage: RecordingUsage): boolean {
  return usage.runs.length > 0 || [...usage.tests.values()].some(({ runs }) => runs.length > 0);
}

/** Returns the uses in a test's last execution, in order. */
export function listUses(
  usage: RecordingUsage,
  { file, name }: Pick<UsageTest, "file" | "name">,
): readonly Use[] {
  const testJson = JSON.stringify([file, name]);
  const found = new Map<string, Use>();
  for (const { test, uses } of usage.tests.values()) {
    if (test.file !== file || JSON.stringify([test.file, test.name]) !== testJson) continue;
    for (const use of uses) if (!found.has(use.entry)) found.set(use.entry, use);
  }
  return [...found.values()];
}

/** Returns the tests that used each entry in their last execution, in linear time. */
export function mapUsersByEntry(usage: RecordingUsage): ReadonlyMap<string, readonly TestUse[]> {
  const users = new Map<string, TestUse[]>();
  for (const test of usage.tests.values()) for (const { entry } of test.uses) addTo(users, entry, test);
  return users;
}

const VERSION = 4;

/** Converts usage to JSON. */
export function convertUsageToJson({ tests, entries, ...usage }: RecordingUsage): unknown {
  return { version: VERSION, ...usage, tests: [...tests.values()], entries: [...entries] };
}

/** Reads the JSON of `convertUsageToJson`; another version results in no usage. Tapedeck wrote the rest. */
export function readUsageJson(value: unknown): RecordingUsage {
  if (readFields(value)["version"] !== VERSION) return NO_USAGE;
  const { runs, tests, entries, since } = value as Omit<RecordingUsage, "tests" | "entries"> & {
    readonly tests: readonly TestUse[];
    readonly entries: readonly (readonly [entry: string, at: number])[];
  };
  return {
    runs,
    tests: new Map(tests.map((one) => [createUsageId(one.test), one])),
    entries: new Map(entries),
    since,
  };
}
