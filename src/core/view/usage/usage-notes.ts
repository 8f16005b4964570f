import type { CallEvent } from "../../call/call.ts";
import { createUsageId, type RecordingUsage, type UsageTest, type Use } from "./usage.ts";
import { pickDefined } from "../../base/pick-defined.ts";

export interface UsagePart {
  readonly run: { readonly id: string; readonly at: number };
  /** Whether the run succeeded and all its calls were answered. */
  readonly isWhole: boolean;
  readonly entries: ReadonlyMap<string, number>;
  readonly tests: readonly PartOfTest[];
}

export interface PartOfTest {
  readonly test: UsageTest;
  readonly isWhole: boolean;
  readonly uses: readonly Use[];
  readonly callers: readonly string[];
}

export interface UsageNotes {
  readonly isEmpty: boolean;
  note(event: CallEvent): void;
  /** Returns the notes of a run that has not ended. No part of them is marked as whole. */
  soFar(): UsagePart;
  /**
   * Returns the notes of a run that has ended. `endedWell` is true if it passed or if its result is unknown. A run
   * that failed might have ended before it made all its calls.
   */
  whole(endedWell: boolean): UsagePart;
}

interface Execution {
  readonly test: UsageTest;
  readonly id: string | undefined;
  readonly uses: Map<string, number>;
  readonly callers: Set<string>;
  isAnswered: boolean;
}

/** `run.at` is the start of the run, in milliseconds since the epoch. */
export function createUsageNotes(run: UsagePart["run"]): UsageNotes {
  const entries = new Map<string, number>();
  const tests = new Map<string, Execution>();
  let unanswered = 0;

  const part = (endedWell: boolean): UsagePart => ({
    run,
    isWhole: endedWell && unanswered === 0 && entries.size > 0,
    entries: new Map(entries),
    tests: [...tests.values()].map(({ test, uses, callers, isAnswered }) => ({
      test,
      isWhole: endedWell && isAnswered,
      uses: Array.from(uses, ([entry, at]) => ({ entry, at })),
      callers: [...callers],
    })),
  });

  return {
    get isEmpty() {
      return entries.size === 0 && tests.size === 0;
    },
    note(event) {
      const { entry, at } = event;
      if (!isUndisturbed(event)) unanswered += 1;
      if (entry !== null) entries.set(entry, at);
      if (event.test) noteTest(tests, event, event.test);
    },
    soFar: () => part(false),
    whole: part,
  };
}

type CallingTest = NonNullable<CallEvent["test"]>;

/** Returns whether a call was answered without a fault. After a fault, a test might not make its usual calls. */
const isUndisturbed = ({ entry, fault }: CallEvent): boolean => entry !== null && fault === undefined;

function noteTest(tests: Map<string, Execution>, event: CallEvent, ref: CallingTest): void {
  const { entry, at } = event;
  const { file, name, id, execution } = ref;
  const test: UsageTest = { file, name, ...pickDefined({ id }) };
  const known = tests.get(createUsageId(test));
  const isSame = known !== undefined && known.id === execution;
  const now = isSame
    ? known
    : { test, id: execution, uses: new Map<string, number>(), callers: new Set<string>(), isAnswered: true };
  if (!isSame) tests.set(createUsageId(test), now);
  // A map keeps the order of the first use; the value is the time of the last use.
  if (!isUndisturbed(event)) now.isAnswered = false;
  if (entry !== null) now.uses.set(entry, at);
  if (ref.at && ref.at.file !== file) now.callers.add(ref.at.file);
}

/** Maximum numbers of items, which limit the size of the usage file. */
export interface UsageLimits {
  readonly runs: number;
  readonly tests: number;
  readonly entries: number;
  readonly usesOfTest: number;
}

export const USAGE_LIMITS: UsageLimits = { runs: 20, tests: 10_000, entries: 50_000, usesOfTest: 500 };

/** Returns the usage with the notes of a run added. */
export function joinUsage(
  usage: RecordingUsage,
  part: UsagePart,
  limits: UsageLimits = USAGE_LIMITS,
): RecordingUsage {
  const tests = new Map(usage.tests);
  for (const one of part.tests) {
    const id = createUsageId(one.test);
    const before = tests.get(id);
    const uses = one.isWhole ? one.uses : joinUses(before?.uses ?? [], one.uses);
    const runs = one.isWhole ? withRun(before?.runs ?? [], part.run, limits.runs) : (before?.runs ?? []);
    const callers = [...new Set([...one.callers, ...(before?.callers ?? [])])].slice(0, 8);
    tests.delete(id);
    tests.set(id, { test: one.test, uses: uses.slice(-limits.usesOfTest), runs, callers });
  }
  const { kept: entries, since } = latest(usage, part.entries, limits.entries);
  return {
    runs: part.isWhole ? withRun(usage.runs, part.run, limits.runs) : usage.runs,
    // Recently noted tests are last, so the oldest ones are dropped.
    tests: new Map([...tests].slice(-limits.tests)),
    entries,
    since,
  };
}

function joinUses(before: readonly Use[], now: readonly Use[]): readonly Use[] {
  const all = new Map(before.map(({ entry, at }) => [entry, at]));
  for (const { entry, at } of now) all.set(entry, Math.max(at, all.get(entry) ?? 0));
  return Array.from(all, ([entry, at]) => ({ entry, at }));
}

function withRun(
  runs: RecordingUsage["runs"],
  { id, at }: { readonly id: string; readonly at: number },
  limit: number,
): RecordingUsage["runs"] {
  return [...runs.filter((run) => run.id !== id), { id, at }].sort((a, b) => a.at - b.at).slice(-limit);
}

function latest(
  usage: RecordingUsage,
  added: ReadonlyMap<string, number>,
  limit: number,
): { readonly kept: ReadonlyMap<string, number>; readonly since: number } {
  const all = new Map(usage.entries);
  for (const [entry, at] of added) all.set(entry, Math.max(at, all.get(entry) ?? 0));
  if (all.size <= limit) return { kept: all, since: usage.since };
  const sorted = [...all].sort(([, a], [, b]) => a - b);
  const forgotten = sorted.splice(0, sorted.length - limit);
  return { kept: new Map(sorted), since: Math.max(usage.since, forgotten.at(-1)?.[1] ?? 0) };
}
