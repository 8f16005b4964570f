import type { CallEvent, TestRef } from "../../core/call/call.ts";
import { formatCallName, readEntry } from "../../core/cassette/address.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { type UnusedReason, createUnusedJudge, type UnusedJudge } from "../../core/view/usage/unused.ts";
import {
  listUses,
  type RecordingUsage,
  NO_USAGE,
  mapUsersByEntry,
  type TestUse,
} from "../../core/view/usage/usage.ts";
import { getTestId } from "../../core/call/test-names.ts";
import { parseInstant } from "../../core/base/age.ts";

/** A test without what changes between its executions. */
export type TestName = Pick<TestRef, "file" | "name">;

/** The facts in a recording's file. */
export interface Origin {
  readonly test?: TestRef | undefined;
  /** ISO 8601. */
  readonly recordedAt: string;
  /** When the file arrived on this machine, in milliseconds since the epoch, if it is known. */
  readonly arrivedAt?: number;
}

/** The use of recordings by tests: in this window, and in whole runs on this machine. */
export type UsageModel = ReturnType<typeof createUsageModel>;

interface Execution {
  readonly id: string;
  /** In order of use. */
  readonly entries: Set<string>;
  /** The recordings nearest to its missing calls, which these calls probably replaced. */
  readonly nearest: Set<string>;
}

export function createUsageModel() {
  /** The last execution of each test of this window. */
  const executions = new Map<string, Execution>();
  const users = new Map<string, Map<string, TestRef>>();
  const { origins, learn, restored } = createOrigins();
  const remembered = createRememberedUsage(origins);

  const executionsWith = (entry: string): readonly Execution[] =>
    [...(users.get(entry)?.keys() ?? [])].flatMap((id) => executions.get(id) ?? []);
  /** Whether a test of this window used it in its last execution, whatever other runs did. */
  const isUsedHere = (entry: string): boolean =>
    executionsWith(entry).some(({ entries }) => entries.has(entry));

  const makersAndUsers = (entry: string): readonly Execution[] => {
    const maker = origins.get(entry)?.test;
    const own = maker && executions.get(getTestId(maker));
    return [...executionsWith(entry), ...(own ? [own] : [])];
  };

  return {
    /** Notes a call. `stretch` identifies the execution if the call does not. */
    note({ test, key, entry, run, miss }: CallEvent, stretch: number) {
      if (!test || key === null) return;
      const id = getTestId(test);
      const execution = findExecution(executions, id, test.execution ?? `${run}/${stretch}`);
      if (miss?.nearest) execution.nearest.add(miss.nearest.entry);
      if (entry === null) return;
      execution.entries.add(entry);
      const tests = users.get(entry) ?? new Map<string, TestRef>();
      users.set(entry, tests.set(id, test));
    },
    /** Notes the test in a recording's file, so that an unused recording can be recognized. */
    learn(entry: string, origin: Origin) {
      learn(entry, origin);
      remembered.forgetJudge();
    },
    /** Notes that a deleted recording is restored: if it was unused, it stays so, although its file is new. */
    restored,
    /** Entries that a test used when it last ran, in order of use. */
    entriesOf(test: TestName) {
      const here = executions.get(getTestId(test));
      return here ? [...here.entries] : listUses(remembered.usage, test).map(({ entry }) => entry);
    },
    /** Tests that used it, in this window first. Deleted and moved tests count only if no other test used it. */
    testsOf(entry: string): readonly TestRef[] {
      const here = users.get(entry);
      const elsewhere = remembered.users(entry).filter(({ test }) => here?.has(getTestId(test)) !== true);
      return withoutGone([...(here?.values() ?? []), ...elsewhere.map(({ test }) => test)], remembered);
    },
    /** Entries of MetaGPT's cache that tests used. */
    cachedEntries: () =>
      [...new Set([...users.keys(), ...remembered.usage.entries.keys()])].filter(
        (entry) => readCachedEntry(entry) !== undefined,
      ),
    /** Its tests asked for something near it instead when they last ran, or whole runs did not ask for it. */
    isStale: (entry: string) =>
      !isUsedHere(entry) && (isReplaced(entry, makersAndUsers(entry)) || remembered.why(entry) !== undefined),
    /** Sets the stored usage of complete runs. `isGone`: whether a test was removed from its file. */
    setUsage: (usage: RecordingUsage, isGone: (test: TestName) => boolean) =>
      remembered.usageIs(usage, isGone),
    /** Why whole runs count it as unused; undefined if they do not. */
    whyUnused: (entry: string) => (isUsedHere(entry) ? undefined : remembered.why(entry)),
  };
}

/** The facts in the files of recordings. */
function createOrigins() {
  const origins = new Map<string, Origin>();
  /** When restored recordings arrived before they were deleted. */
  const arrivals = new Map<string, number | undefined>();
  return {
    origins,
    learn: (entry: string, origin: Origin): void => {
      const arrivedAt = arrivals.get(entry);
      origins.set(entry, arrivedAt === undefined ? origin : { ...origin, arrivedAt });
    },
    restored: (entry: string) => void arrivals.set(entry, origins.get(entry)?.arrivedAt),
  };
}

function withoutGone(
  tests: readonly TestRef[],
  { isGone }: { readonly isGone: (test: TestName) => boolean },
): readonly TestRef[] {
  const present = tests.filter((test) => !isGone(test));
  return present.length > 0 ? present : tests;
}

/** Returns the execution of a test with this id; a new one takes the place of the one before. */
function findExecution(executions: Map<string, Execution>, test: string, id: string): Execution {
  const known = executions.get(test);
  if (known?.id === id) return known;
  const execution: Execution = { id, entries: new Set(), nearest: new Set() };
  executions.set(test, execution);
  return execution;
}

/** Whether all executions asked for something near it instead. All takes of a key are replaced together. */
function isReplaced(entry: string, executions: readonly Execution[]): boolean {
  const key = getKeyOfEntry(entry);
  const asksNear = ({ nearest }: Execution): boolean =>
    [...nearest].some((one) => getKeyOfEntry(one) === key);
  return executions.length > 0 && executions.every(asksNear);
}

function getKeyOfEntry(entry: string): string {
  const address = readEntry(entry);
  return "key" in address ? formatCallName(address) : entry;
}

/** The use of recordings by whole runs on this machine. The judge is created on first use and then kept. */
function createRememberedUsage(origins: ReadonlyMap<string, Origin>) {
  let usage: RecordingUsage = NO_USAGE;
  let isGone: (test: TestName) => boolean = () => false;
  let users: ReadonlyMap<string, readonly TestUse[]> | undefined;
  let judge: UnusedJudge | undefined;
  return {
    get usage() {
      return usage;
    },
    isGone: (test: TestName) => isGone(test),
    users: (entry: string) => (users ??= mapUsersByEntry(usage)).get(entry) ?? [],
    usageIs(known: RecordingUsage, gone: (test: TestName) => boolean) {
      usage = known;
      isGone = gone;
      users = undefined;
      judge = undefined;
    },
    forgetJudge: () => void (judge = undefined),
    why(entry: string): UnusedReason | undefined {
      const origin = origins.get(entry);
      const address = readEntry(entry);
      // The facts in its file determine which runs count, so nothing is known before it is read.
      if (!origin || "wrong" in address) return undefined;
      judge ??= createUnusedJudge(usage, {
        named: [...origins.values()].flatMap(({ test }) => test ?? []),
        isGone,
      });
      const recordedAt = parseInstant(origin.recordedAt) ?? 0;
      const { arrivedAt = 0, test } = origin;
      return judge({ address, recordedAt, arrivedAt, test });
    },
  };
}
