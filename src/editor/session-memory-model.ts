import type { CallEvent, TestRef } from "../core/exchange.ts";
import type { Candidate } from "./session-model.ts";

/** Names in the cassette folder's local state, which git ignores. */
export const LOCAL_NAMES = { candidates: "candidates", usage: "usage" } as const;

/** Which recordings were used, as far as this machine has seen; written by whoever answers calls. Times are ISO 8601. */
export interface UsageFile {
  /** When the last run that made calls began. */
  readonly lastRun?: string;
  /** By entry: when it last answered a call, or was recorded. */
  readonly entries: Readonly<Record<string, string>>;
  /** By file and titles: when the last run in which the test made a call began. */
  readonly tests: Readonly<Record<string, string>>;
}

/** Reads remembered candidates; what is not one is left out. Never throws. */
export function candidatesFrom(value: unknown): readonly Candidate[] {
  const listed: unknown = property(value, "candidates");
  return Array.isArray(listed) ? listed.flatMap((one: unknown) => candidateFrom(one) ?? []) : [];
}

/** Names a test in `UsageFile.tests`: without its line, which moves. */
export function usageName({ file, name }: Pick<TestRef, "file" | "name">): string {
  return [file, ...name].join(" › ");
}

/** Collects what calls used until it is written. */
export interface Uses {
  /** What comes now is another run. */
  runBegan(): void;
  note(event: Pick<CallEvent, "run" | "entry" | "at" | "test">): void;
  /** Gives what came together since the last time, and forgets it; undefined where nothing did. */
  take(): UsageFile | undefined;
}

export function createUses(): Uses {
  const began = new Map<string, string>();
  const entries = new Map<string, string>();
  const tests = new Map<string, string>();
  let lastRun: string | undefined;
  return {
    runBegan: () => began.clear(),
    note({ run, entry, at, test }) {
      const now = new Date(at).toISOString();
      const start = began.get(run) ?? now;
      began.set(run, start);
      if (start > (lastRun ?? "")) lastRun = start;
      if (entry !== null) entries.set(entry, now);
      if (test) tests.set(usageName(test), start);
    },
    take() {
      if (lastRun === undefined) return undefined;
      const taken = { lastRun, entries: Object.fromEntries(entries), tests: Object.fromEntries(tests) };
      entries.clear();
      tests.clear();
      lastRun = undefined;
      return taken;
    },
  };
}

/** What the file holds now, whatever that is, and what is new: of each the later time. */
export function joinedUsage(before: unknown, { lastRun, entries, tests }: UsageFile): UsageFile {
  const known = property(before, "lastRun");
  const last = [known, lastRun]
    .filter((at) => typeof at === "string")
    .sort()
    .at(-1);
  return {
    ...(last !== undefined && { lastRun: last }),
    entries: later(property(before, "entries"), entries),
    tests: later(property(before, "tests"), tests),
  };
}

function later(before: unknown, now: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const joined = new Map<string, string>();
  const known: readonly (readonly [string, unknown])[] = Object.entries(Object(before));
  for (const [name, at] of [...known, ...Object.entries(now)])
    if (typeof at === "string" && at > (joined.get(name) ?? "")) joined.set(name, at);
  return Object.fromEntries([...joined].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function candidateFrom(value: unknown): Candidate | undefined {
  const entry = property(value, "entry");
  const recordedAt = property(value, "recordedAt");
  if (typeof entry !== "string" || typeof recordedAt !== "number") return undefined;
  const test = testFrom(property(value, "test"));
  return { entry, recordedAt, ...(test && { test }) };
}

function testFrom(value: unknown): TestRef | undefined {
  const file = property(value, "file");
  const name = property(value, "name");
  const line = property(value, "line");
  if (typeof file !== "string" || !Array.isArray(name)) return undefined;
  if (!name.every((title): title is string => typeof title === "string")) return undefined;
  return { file, name, ...(typeof line === "number" && { line }) };
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
}
