import type { RecordingAddress } from "../../cassette/recording.ts";
import type { TestRef } from "../../call/call.ts";
import { declaredName, isOrIsCaseOf, isOutsideTests } from "../../call/test-names.ts";
import {
  usageId,
  usersByEntry,
  type TestUse,
  type RecordingUsage,
  type UsageRun,
  type UsageTest,
} from "./usage.ts";

/** Why a recording counts as unused: what went by without asking for it. */
export interface Unused {
  /** "test": the test that made it; "runs": runs of everything. */
  readonly by: "test" | "runs";
  /** How many times since it was last used or recorded; at least 1. */
  readonly times: number;
  /** When the first and the last of these runs began, in milliseconds since the epoch. */
  readonly first: number;
  readonly last: number;
}

/** What is asked about. */
export interface JudgedRecording {
  readonly address: Pick<RecordingAddress, "entry" | "key">;
  /** Milliseconds since the epoch; 0 where it is not known. */
  readonly recordedAt: number;
  /** When its file came to this machine, where that is known: runs before it say nothing of it. */
  readonly arrivedAt?: number;
  readonly test?: TestRef | undefined;
}

/** Judges recordings one by one. It claims nothing that was not seen: where it cannot be told, undefined. */
export interface UnusedJudge {
  why(recording: JudgedRecording): Unused | undefined;
}

export interface JudgeOptions {
  /** Whether a test is known to be gone from its file: what only such tests used is used by nobody. */
  readonly isGone: (test: UsageTest) => boolean;
  /**
   * Tests that recordings name, besides those that were seen: a run is one of everything only where all of them
   * that are not gone were executed in it as a whole.
   */
  readonly named: readonly UsageTest[];
}

export function createUnusedJudge(usage: RecordingUsage, { isGone, named }: JudgeOptions): UnusedJudge {
  const users = usersByEntry(usage);
  const runs = wholeRuns(usage, named, isGone);
  return {
    why({ address, recordedAt, arrivedAt = 0, test }) {
      // What a test that is there asked for when it last ran is in use, whoever else ran since.
      if (users.get(address.entry)?.some((user) => !isGone(user.test)) === true) return undefined;
      if (test !== undefined && isScript(test) && !isGone(test)) return undefined;
      const known = usage.entries.get(address.entry) ?? Math.max(recordedAt, usage.since);
      const lastUsed = Math.max(known, arrivedAt);
      const isOwned = test !== undefined && !isGone(test);
      const ran = isOwned ? runsOf(usage, test) : runs;
      const since = ran.filter(({ at }) => at > lastUsed);
      const [first] = since;
      const last = since.at(-1);
      if (!first || !last) return undefined;
      return { by: isOwned ? "test" : "runs", times: since.length, first: first.at, last: last.at };
    },
  };
}

/** What no runner runs asks for what its arguments say: a run with others says nothing of it. */
const isScript = ({ name, runner }: TestRef): boolean => name.length === 0 && runner === undefined;

/** Of a parametrized test, the runs in which all its cases that are known were whole. */
function runsOf(usage: RecordingUsage, test: UsageTest): readonly UsageRun[] {
  const exact = usage.tests.get(usageId(test));
  if (exact) return exact.runs;
  const [first, ...others] = namesakes(usage, test);
  return (first?.runs ?? []).filter(({ id }) => others.every((other) => hasRun(other, id)));
}

/** Without its id, which a recording's file does not have. */
function namesakes(usage: RecordingUsage, wanted: UsageTest): readonly TestUse[] {
  return [...usage.tests.values()].filter(({ test }) => isOrIsCaseOf(test, wanted));
}

function wholeRuns(
  usage: RecordingUsage,
  named: readonly UsageTest[],
  isGone: JudgeOptions["isGone"],
): readonly UsageRun[] {
  // A script runs by itself: what it used when it last ran is in use, and no run of all tests is one of it.
  const isExpected = (test: UsageTest): boolean => !isOutsideTests(test) && !isGone(test);
  const seen = [...usage.tests.values()].filter(({ test }) => isExpected(test));
  const known = new Set(
    seen.flatMap(({ test: { file, name } }) => [
      usageId({ file, name }),
      usageId({ file, name: declaredName({ file, name }) }),
    ]),
  );
  // One that recordings name and that was never seen here: no run was one of everything.
  if (named.some((test) => !known.has(withoutId(test)) && isExpected(test))) return [];
  return usage.runs.filter(({ id }) => seen.every((test) => hasRun(test, id)));
}

const withoutId = ({ file, name }: UsageTest): string => usageId({ file, name });

const hasRun = ({ runs }: TestUse, id: string): boolean => runs.some((run) => run.id === id);
