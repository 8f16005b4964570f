import type { RecordingAddress } from "../../cassette/recording.ts";
import type { TestRef } from "../../call/call.ts";
import { getDeclaredName, isSameTestOrCase, isOutsideTests } from "../../call/test-names.ts";
import {
  createUsageId,
  mapUsersByEntry,
  type TestUse,
  type RecordingUsage,
  type UsageRun,
  type UsageTest,
} from "./usage.ts";

/** Why a recording counts as unused: the runs that did not use it. */
export interface UnusedReason {
  /** "test": runs of the test that recorded it; "runs": runs of all tests. */
  readonly by: "test" | "runs";
  /** Number of these runs since it was last used or recorded; at least 1. */
  readonly times: number;
  /** Start of the first of these runs, in milliseconds since the epoch. */
  readonly first: number;
  /** Start of the last of these runs, in milliseconds since the epoch. */
  readonly last: number;
}

/** The fields of a recording that determine whether it is unused. */
export interface JudgedRecording {
  readonly address: Pick<RecordingAddress, "entry" | "key">;
  /** Milliseconds since the epoch; 0 if unknown. */
  readonly recordedAt: number;
  /** Time at which its file arrived on this machine, if known. Earlier runs could not use it. */
  readonly arrivedAt?: number;
  readonly test?: TestRef | undefined;
}

/** Returns why a recording is unused; undefined if it is in use or if that is unknown. */
export type UnusedJudge = (recording: JudgedRecording) => UnusedReason | undefined;

export interface JudgeOptions {
  /** Returns whether a test no longer exists in its file. Recordings that only such tests used are unused. */
  readonly isGone: (test: UsageTest) => boolean;
  /**
   * Tests that recordings name, in addition to the tests that ran on this machine. A run counts as a run of all tests
   * only if every one of them that still exists completed in it.
   */
  readonly named: readonly UsageTest[];
}

export function createUnusedJudge(usage: RecordingUsage, { isGone, named }: JudgeOptions): UnusedJudge {
  const users = mapUsersByEntry(usage);
  const runs = wholeRuns(usage, named, isGone);
  return ({ address, recordedAt, arrivedAt = 0, test }) => {
    // A recording that an existing test used in its last run is in use, even if other tests ran later.
    if (users.get(address.entry)?.some((user) => !isGone(user.test)) === true) return undefined;
    if (test !== undefined && isScript(test) && !isGone(test)) return undefined;
    // A program whose tests are unknown used it: a later run may have been one of its other tests only.
    if (test === undefined && usage.entries.has(address.entry)) return undefined;
    const known = usage.entries.get(address.entry) ?? Math.max(recordedAt, usage.since);
    const lastUsed = Math.max(known, arrivedAt);
    const isOwned = test !== undefined && !isGone(test);
    const ran = isOwned ? runsOf(usage, test) : runs;
    const since = ran.filter(({ at }) => at > lastUsed);
    const [first] = since;
    const last = since.at(-1);
    if (!first || !last) return undefined;
    return { by: isOwned ? "test" : "runs", times: since.length, first: first.at, last: last.at };
  };
}

/** The calls of a script depend on its arguments, so a run with other arguments does not make a recording unused. */
const isScript = ({ name, runner }: TestRef): boolean => name.length === 0 && runner === undefined;

/** Returns the complete runs of a test. For a parametrized test, all its known cases must be complete in a run. */
function runsOf(usage: RecordingUsage, test: UsageTest): readonly UsageRun[] {
  const exact = usage.tests.get(createUsageId(test));
  if (exact) return exact.runs;
  const [first, ...others] = namesakes(usage, test);
  return (first?.runs ?? []).filter(({ id }) => others.every((other) => hasRun(other, id)));
}

/** Compares tests without their ids, because recording files do not contain them. */
function namesakes(usage: RecordingUsage, unusedTest: UsageTest): readonly TestUse[] {
  return [...usage.tests.values()].filter(({ test }) => isSameTestOrCase(test, unusedTest));
}

function wholeRuns(
  usage: RecordingUsage,
  named: readonly UsageTest[],
  isGone: JudgeOptions["isGone"],
): readonly UsageRun[] {
  // Scripts do not run together with tests, so a run of all tests does not include them.
  const isExpected = (test: UsageTest): boolean => !isOutsideTests(test) && !isGone(test);
  const uses = [...usage.tests.values()].filter(({ test }) => isExpected(test));
  const known = new Set(
    uses.flatMap(({ test: { file, name } }) => [
      createUsageId({ file, name }),
      createUsageId({ file, name: getDeclaredName({ file, name }) }),
    ]),
  );
  // Calls outside any known test do not show which tests ran.
  if (uses.length === 0) return [];
  // If a test that recordings name never ran on this machine, there was no run of all tests.
  if (named.some((test) => !known.has(withoutId(test)) && isExpected(test))) return [];
  return usage.runs.filter(({ id }) => uses.every((test) => hasRun(test, id)));
}

const withoutId = ({ file, name }: UsageTest): string => createUsageId({ file, name });

const hasRun = ({ runs }: TestUse, id: string): boolean => runs.some((run) => run.id === id);
