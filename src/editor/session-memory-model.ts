import type { CallEvent, TestRef } from "../core/exchange.ts";
import type { Candidate } from "./session-model.ts";

/** Names in the cassette folder's local state, which git ignores. */
export const LOCAL_NAMES = { candidates: "candidates", usage: "usage" } as const;

/** Reads remembered candidates; what is not one is left out. Never throws. */
export function candidatesFrom(value: unknown): readonly Candidate[] {
  const listed: unknown = property(value, "candidates");
  return Array.isArray(listed) ? listed.flatMap((one: unknown) => candidateFrom(one) ?? []) : [];
}

/** When each entry last answered a call or was recorded, in ISO 8601. */
export type Uses = Readonly<Record<string, string>>;

/** Collects what calls used until it is written. */
export interface UseNotes {
  note(event: Pick<CallEvent, "entry" | "at">): void;
  /** Gives what came together since the last time, and forgets it; undefined where nothing did. */
  take(): Uses | undefined;
}

export function createUseNotes(): UseNotes {
  const entries = new Map<string, string>();
  return {
    note({ entry, at }) {
      if (entry !== null) entries.set(entry, new Date(at).toISOString());
    },
    take() {
      if (entries.size === 0) return undefined;
      const taken = Object.fromEntries(entries);
      entries.clear();
      return taken;
    },
  };
}

/**
 * What the file of uses holds now, whatever that is, and what is new: of each entry the later time. What it says of
 * whole runs stays: an editor never knows that a run is over, so it cannot tell what a run did not use.
 */
export function joinedUsage(before: unknown, entries: Uses): object {
  const known = typeof before === "object" && before !== null && !Array.isArray(before) ? before : {};
  return { ...known, entries: later(property(before, "entries"), entries) };
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
