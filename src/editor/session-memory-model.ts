import type { CallEvent } from "../core/exchange.ts";

/** The name in the cassette folder's local state, which git ignores. */
export const USAGE_NAME = "usage";

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

function property(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return found;
}
