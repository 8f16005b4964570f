import type { CallEvent, TestRef } from "../core/exchange.ts";

/** A test without what changes between its executions. */
export type TestName = Pick<TestRef, "file" | "name">;

/** What a recording's file says of itself. */
export interface Origin {
  readonly test?: TestRef;
  /** ISO 8601. */
  readonly recordedAt: string;
}

/** Which recordings the tests use, as seen in this window. */
export interface UsageModel {
  /** Takes a call in; `stretch` tells executions apart where the call does not say which one it belongs to. */
  note(event: CallEvent, stretch: number): void;
  /** Tells what a recording's file says, so that one that no test asks for any more can be recognised. */
  learn(entry: string, origin: Origin): void;
  forget(entry: string): void;
  entriesOf(test: TestName): readonly string[];
  testsOf(entry: string): readonly TestRef[];
  isStale(entry: string): boolean;
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

interface TestUse {
  readonly last: Execution;
  readonly before: Execution | undefined;
}

/** Names a test in maps: the same for every execution, line and runner. */
export function testId(test: TestName): string {
  return JSON.stringify([test.file, ...test.name]);
}

export function createUsageModel(): UsageModel {
  const uses = new Map<string, TestUse>();
  const users = new Map<string, Map<string, TestRef>>();
  const origins = new Map<string, Origin>();

  function isStaleFor(entry: string, use: TestUse): boolean {
    if (use.last.entries.has(entry)) return false;
    if (use.last.replaced.has(entry)) return true;
    return use.before?.entries.has(entry) === true
      ? wasReplaced(entry, use.before, use.last)
      : isOlderThanAnAnswer(entry, use.last, origins);
  }

  return {
    note(event, stretch) {
      if (!event.test || event.key === null) return;
      const id = testId(event.test);
      const use = uses.get(id);
      uses.set(id, used(use, event, event.test.execution ?? `${event.run}/${stretch}`));
      if (event.entry === null) return;
      const tests = users.get(event.entry) ?? new Map<string, TestRef>();
      users.set(event.entry, tests.set(id, event.test));
    },
    learn: (entry, origin) => void origins.set(entry, origin),
    forget(entry) {
      users.delete(entry);
      origins.delete(entry);
    },
    entriesOf: (test) => [...(uses.get(testId(test))?.last.entries ?? [])],
    testsOf: (entry) => [...(users.get(entry)?.values() ?? [])],
    isStale(entry) {
      const own = origins.get(entry)?.test;
      const tests = [...(users.get(entry)?.keys() ?? []), ...(own ? [testId(own)] : [])];
      const known = tests.flatMap((id) => uses.get(id) ?? []);
      return known.length > 0 && known.every((use) => isStaleFor(entry, use));
    },
  };
}

/** Calls of one execution are added to it: a test may make very many. */
function used(use: TestUse | undefined, event: CallEvent, id: string): TestUse {
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
