import type { CallEvent, TestRef } from "../../core/call/call.ts";
import { readEntry } from "../../core/cassette/address.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { type Unused, createUnusedJudge, type UnusedJudge } from "../../core/view/usage/unused.ts";
import {
  usesOf,
  type RecordingUsage,
  NO_USAGE,
  usersByEntry,
  type TestUse,
} from "../../core/view/usage/usage.ts";
import { testId } from "../../core/call/test-names.ts";
import { instantOf } from "../../core/base/age.ts";

/** A test without what changes between its executions. */
export type TestName = Pick<TestRef, "file" | "name">;

/** What a recording's file says of itself. */
export interface Origin {
  readonly test?: TestRef | undefined;
  /** ISO 8601. */
  readonly recordedAt: string;
  /** When the file came to this machine, in milliseconds since the epoch, where that is known. */
  readonly arrivedAt?: number;
}

/** Which recordings the tests use: as seen in this window, and as remembered from whole runs on this machine. */
export interface UsageAnswers {
  /** Entries that a test used when it last ran, in order of use. */
  readonly entriesOf: (test: TestName) => readonly string[];
  readonly testsOf: (entry: string) => readonly TestRef[];
  /** Entries of MetaGPT's cache that tests used. */
  readonly cachedEntries: () => readonly string[];
  /** A test of the entry ran again and asked for something else instead, or nobody asks for it any more. */
  readonly isStale: (entry: string) => boolean;
  /** What whole runs say of an entry that they went by; undefined where they claim nothing. */
  readonly whyUnused: (entry: string) => Unused | undefined;
}

export interface UsageModel extends UsageAnswers {
  /** Takes a call in; `stretch` tells executions apart where the call does not say which one it belongs to. */
  readonly note: (event: CallEvent, stretch: number) => void;
  /** Tells what a recording's file says, so that one that no test asks for any more can be recognised. */
  readonly learn: (entry: string, origin: Origin) => void;
  /** Sets the stored usage of complete runs. `isGone`: whether a test was removed from its file. */
  readonly usageIs: (usage: RecordingUsage, isGone: (test: TestName) => boolean) => void;
}

/** One execution of a test: what it asked for, in order. An ask is an entry, or a key that no entry answered. */
interface Execution {
  readonly id: string;
  readonly asked: string[];
  readonly entries: Set<string>;
  /** Entries that were the nearest to a call that missed. */
  readonly replaced: Set<string>;
  missed: boolean;
}

interface UseHere {
  readonly last: Execution;
  readonly before: Execution | undefined;
}

export function createUsageModel(): UsageModel {
  const uses = new Map<string, UseHere>();
  const users = new Map<string, Map<string, TestRef>>();
  const origins = new Map<string, Origin>();
  const remembered = createRememberedUsage(origins);

  /** What a test of this window used when it last ran is used, whatever runs elsewhere say. */
  const isUsedHere = (entry: string): boolean =>
    [...(users.get(entry)?.keys() ?? [])].some((id) => uses.get(id)?.last.entries.has(entry) === true);

  function isStaleHere(entry: string): boolean {
    const own = origins.get(entry)?.test;
    const tests = [...(users.get(entry)?.keys() ?? []), ...(own ? [testId(own)] : [])];
    const known = tests.flatMap((id) => uses.get(id) ?? []);
    return known.length > 0 && known.every((use) => isStaleFor(entry, use, origins));
  }

  return {
    note(event, stretch) {
      if (!event.test || event.key === null) return;
      const id = testId(event.test);
      const use = uses.get(id);
      uses.set(id, noteUse(use, event, event.test.execution ?? `${event.run}/${stretch}`));
      if (event.entry === null) return;
      const tests = users.get(event.entry) ?? new Map<string, TestRef>();
      users.set(event.entry, tests.set(id, event.test));
    },
    learn(entry, origin) {
      origins.set(entry, origin);
      remembered.forgetJudge();
    },
    entriesOf(test) {
      const here = uses.get(testId(test));
      return here ? [...here.last.entries] : usesOf(remembered.usage, test).map(({ entry }) => entry);
    },
    testsOf(entry) {
      const here = users.get(entry);
      const elsewhere = remembered.users(entry).filter(({ test }) => here?.has(testId(test)) !== true);
      return [...(here?.values() ?? []), ...elsewhere.map(({ test }) => test)];
    },
    cachedEntries: () =>
      [...new Set([...users.keys(), ...remembered.usage.entries.keys()])].filter(
        (entry) => readCachedEntry(entry) !== undefined,
      ),
    isStale: (entry) => isStaleHere(entry) || (!isUsedHere(entry) && remembered.why(entry) !== undefined),
    usageIs: (usage, isGone) => remembered.usageIs(usage, isGone),
    whyUnused: (entry) => (isUsedHere(entry) ? undefined : remembered.why(entry)),
  };
}

/** All takes of a key go together: where one was replaced, the others are asked for by nobody either. */
function isStaleFor(entry: string, use: UseHere, origins: ReadonlyMap<string, Origin>): boolean {
  const { last, before } = use;
  if (last.entries.has(entry)) return false;
  const key = keyOfEntry(entry);
  if ([...last.replaced].some((one) => keyOfEntry(one) === key)) return true;
  if (before?.entries.has(entry) !== true) return isOlderThanAnAnswer(entry, last, origins);
  const takes = [...before.entries].filter((one) => keyOfEntry(one) === key);
  if (takes.some((take) => last.entries.has(take))) return wasReplaced(entry, before, last);
  return takes.some((take) => wasReplaced(take, before, last));
}

function keyOfEntry(entry: string): string {
  const address = readEntry(entry);
  return "key" in address ? `${address.provider} ${address.key}` : entry;
}

/** Calls of one execution are added to it: a test may make very many. */
function noteUse(use: UseHere | undefined, event: CallEvent, id: string): UseHere {
  const now = use?.last.id === id ? use : { before: use?.last, last: newExecution(id) };
  const { last } = now;
  last.asked.push(event.entry ?? event.key ?? "");
  if (event.entry !== null) last.entries.add(event.entry);
  const nearest = event.miss?.nearest?.entry;
  if (nearest !== undefined) last.replaced.add(nearest);
  last.missed ||= event.outcome === "miss" || event.outcome === "refused";
  return now;
}

function newExecution(id: string): Execution {
  return { id, asked: [], entries: new Set(), replaced: new Set(), missed: false };
}

/** A test that stops early proves nothing; one that asks for something new where it asked for the entry does. */
function wasReplaced(entry: string, before: Execution, last: Execution): boolean {
  const known = new Set(before.asked);
  const isNew = (ask: string | undefined): boolean => ask !== undefined && !known.has(ask);
  if (isNew(last.asked[before.asked.indexOf(entry)])) return true;
  return last.asked.length >= before.asked.length && last.asked.some(isNew);
}

/**
 * For recordings not seen in use in this window: a test asks in the order in which it recorded, so one that was
 * answered by a later recording and went by the earlier one has no use for it any more.
 */
function isOlderThanAnAnswer(entry: string, last: Execution, origins: ReadonlyMap<string, Origin>): boolean {
  const recordedAt = origins.get(entry)?.recordedAt;
  if (recordedAt === undefined || last.missed) return false;
  return [...last.entries].some((other) => (origins.get(other)?.recordedAt ?? "") > recordedAt);
}

/** What whole runs on this machine say. The judge is made when it is asked, once for many answers. */
function createRememberedUsage(origins: ReadonlyMap<string, Origin>) {
  let usage: RecordingUsage = NO_USAGE;
  let isGone: (test: TestName) => boolean = () => false;
  let users: ReadonlyMap<string, readonly TestUse[]> | undefined;
  let judge: UnusedJudge | undefined;
  return {
    get usage() {
      return usage;
    },
    users: (entry: string) => (users ??= usersByEntry(usage)).get(entry) ?? [],
    usageIs(known: RecordingUsage, gone: (test: TestName) => boolean) {
      usage = known;
      isGone = gone;
      users = undefined;
      judge = undefined;
    },
    forgetJudge: () => void (judge = undefined),
    why(entry: string): Unused | undefined {
      const origin = origins.get(entry);
      const address = readEntry(entry);
      // What its file says decides which runs count: before it was read nothing is claimed.
      if (!origin || "wrong" in address) return undefined;
      judge ??= createUnusedJudge(usage, {
        named: [...origins.values()].flatMap(({ test }) => test ?? []),
        isGone,
      });
      const recordedAt = instantOf(origin.recordedAt) ?? 0;
      const { arrivedAt = 0, test } = origin;
      return judge.why({ address, recordedAt, arrivedAt, test });
    },
  };
}
