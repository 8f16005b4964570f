import type { CassetteStore } from "../../core/cassette/store.ts";
import type { CallEvent, TestRef } from "../../core/call/call.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { readTestRef } from "../../core/call/attribution.ts";
import { readFields, isText, readList } from "../../core/base/lenient.ts";
import { dropEarlier, hasEarlier, restoreEarlier } from "./earlier.ts";
import { readLocalState, updateLocal } from "./local-state.ts";

/** A recording that was made in a run and is not accepted yet. Only local state marks it as new, not its file. */
export interface NewRecording {
  readonly entry: string;
  /** Milliseconds since the epoch. */
  readonly recordedAt: number;
  readonly test?: TestRef;
  /** The outcome of the test that made the call, if known. */
  readonly outcome?: "passed" | "failed";
  /** It replaced an accepted recording, whose text is kept until this one is accepted. */
  readonly replaces?: true;
}

const NAME = "candidates";
/** Maximum number of new recordings. Beyond it, the oldest are accepted; you can still review them in git. */
const KEPT = 10_000;

/** Returns the new recordings of a cassette folder, oldest first, from all processes of this machine. Never throws. */
export async function listCandidates(dir: string): Promise<readonly NewRecording[]> {
  return candidatesFrom((await readLocalState(dir, NAME)).value);
}

/**
 * Marks recordings as new. If a recording is already marked, updates its time and outcome. Also determines whether a
 * recording replaced another one.
 * @throws TapedeckError `tapedeck_cassette` if it cannot be written.
 */
export async function addCandidates(
  dir: string,
  added: readonly NewRecording[],
): Promise<readonly NewRecording[]> {
  if (added.length === 0) return listCandidates(dir);
  const unneeded: string[] = [];
  const candidates = await change(dir, (known) => {
    for (const candidate of added) {
      const { entry } = candidate;
      const before = known.get(entry);
      const replaces = before ? before.replaces === true : hasEarlier(dir, entry);
      // A new recording that was recorded again did not replace an accepted one.
      if (!replaces) unneeded.push(entry);
      const { replaces: _, ...rest } = { ...before, ...candidate };
      known.delete(entry);
      known.set(entry, { ...rest, ...(replaces && { replaces }) });
    }
    for (const entry of [...known.keys()].slice(0, Math.max(0, known.size - KEPT))) {
      known.delete(entry);
      unneeded.push(entry);
    }
  });
  await dropEarlier(dir, unneeded);
  return candidates;
}

/**
 * Accepts new recordings: they are no longer new, and the texts of the recordings that they replaced are deleted.
 * Resolves to the accepted recordings. Does not change their files.
 * @throws TapedeckError `tapedeck_cassette` if the local state cannot be written.
 */
export async function acceptCandidates(
  dir: string,
  entries: readonly string[],
): Promise<readonly NewRecording[]> {
  const accepted = await takeOut(dir, entries);
  // Another process may have recorded one of them again.
  const left = new Set((await listCandidates(dir)).map(({ entry }) => entry));
  await dropEarlier(
    dir,
    entries.filter((entry) => !left.has(entry)),
  );
  return accepted;
}

interface Discarded {
  readonly candidate: NewRecording;
  readonly restore: () => Promise<void>;
}

/**
 * Discards new recordings: restores the accepted recording that one replaced, and removes the others. Ignores entries
 * that are not new. `undo` rejects if another recording has one of the names now.
 * @throws TapedeckError if one cannot be removed; those before it are discarded
 */
export async function discardCandidates(
  { dir, store }: { readonly dir: string; readonly store: Pick<CassetteStore, "remove"> },
  entries: readonly string[],
): Promise<{ readonly undo: () => Promise<void> }> {
  const known = new Map((await listCandidates(dir)).map((one) => [one.entry, one]));
  const found = [...new Set(entries)].flatMap((entry) => known.get(entry) ?? []);
  const discarded: Discarded[] = [];
  try {
    for (const candidate of found) {
      const { entry, replaces } = candidate;
      if (replaces && hasEarlier(dir, entry)) {
        discarded.push({ candidate, restore: await restoreEarlier(dir, entry) });
        continue;
      }
      const removed = await store.remove(entry);
      discarded.push({ candidate, restore: () => removed.restore() });
    }
  } finally {
    await takeOut(
      dir,
      discarded.map(({ candidate }) => candidate.entry),
    );
  }
  return { undo: () => restoreAll(dir, discarded) };
}

/** Restores each once, even if one fails and the person tries again. */
async function restoreAll(dir: string, discarded: Discarded[]): Promise<void> {
  const back: NewRecording[] = [];
  try {
    for (const { candidate, restore } of discarded.toReversed()) {
      await restore();
      discarded.pop();
      back.push(candidate);
    }
  } finally {
    await change(dir, (known) => {
      for (const candidate of back) known.set(candidate.entry, candidate);
    });
  }
}

/** Returns the candidate that a call created, if any. */
export function createCandidate(event: Omit<CallEvent, "miss" | "madeUp">): NewRecording | undefined {
  const { entry, outcome, at, test } = event;
  // Entries of MetaGPT's own cache are reviewed in MetaGPT.
  if (outcome !== "recorded" || entry === null || readCachedEntry(entry) !== undefined) return undefined;
  return { entry, recordedAt: at, ...(test && { test: keptTest(test) }) };
}

async function takeOut(dir: string, entries: readonly string[]): Promise<readonly NewRecording[]> {
  const taken: NewRecording[] = [];
  if (entries.length === 0 || (await listCandidates(dir)).length === 0) return taken;
  await change(dir, (known) => {
    for (const entry of entries) {
      const candidate = known.get(entry);
      if (candidate) taken.push(candidate);
      known.delete(entry);
    }
  });
  return taken;
}

async function change(
  dir: string,
  edit: (known: Map<string, NewRecording>) => void,
): Promise<readonly NewRecording[]> {
  const { value } = await updateLocal(dir, NAME, (now) => {
    const known = new Map(candidatesFrom(now).map((one) => [one.entry, one]));
    edit(known);
    return { candidates: [...known.values()] };
  });
  return value.candidates;
}

/** Reads candidates from the local state and ignores invalid ones. */
function candidatesFrom(value: unknown): readonly NewRecording[] {
  return readList(readFields(value)["candidates"]).flatMap((one) => candidateFrom(one) ?? []);
}

function candidateFrom(value: unknown): NewRecording | undefined {
  const { entry, recordedAt, test: made, outcome, replaces } = readFields(value);
  if (!isText(entry) || typeof recordedAt !== "number") return undefined;
  const test = readTestRef(made);
  return {
    entry,
    recordedAt,
    ...pickDefined({ test }),
    ...((outcome === "passed" || outcome === "failed") && { outcome }),
    ...(replaces === true && { replaces: true as const }),
  };
}

/** Omits the execution, which has no meaning in the next run. */
function keptTest({ file, name, line, id }: TestRef): TestRef {
  return { file, name, ...pickDefined({ line, id }) };
}
