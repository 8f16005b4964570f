import type { CassetteStore } from "../../core/cassette/store.ts";
import type { CallEvent, TestRef } from "../../core/call/call.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { readTestRef } from "../../core/call/attribution.ts";
import { readFields, isText, readList } from "../../core/base/lenient.ts";
import { dropEarlier, hasEarlier, listEarlier, restoreEarlier } from "./earlier.ts";
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
  const { value } = await change(dir, (known) => {
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
  return value;
}

/**
 * Accepts new recordings, or all of them without `entries`: they are no longer new, and the texts of the recordings
 * that they replaced are deleted. Resolves to the accepted recordings. Does not change their files.
 * @throws TapedeckError `tapedeck_cassette` if the local state cannot be written.
 */
export async function acceptCandidates(
  dir: string,
  entries?: readonly string[],
): Promise<readonly NewRecording[]> {
  const accepted = await takeOut(dir, entries);
  // Without `entries`, also deletes kept texts of processes that ended after recording, before marking it as new.
  const left = new Set((await listCandidates(dir)).map(({ entry }) => entry));
  const kept = entries === undefined ? await listEarlier(dir) : entries;
  await dropEarlier(
    dir,
    kept.filter((entry) => !left.has(entry)),
  );
  return accepted;
}

/** Discarded recordings, and how to restore them. */
export interface DiscardedRecordings {
  readonly candidates: readonly NewRecording[];
  /** @throws TapedeckError if another recording has one of the names now. */
  undo(): Promise<void>;
}

/**
 * Discards new recordings: restores the accepted recording that one replaced, and removes the others. Ignores entries
 * that are not new.
 * @throws TapedeckError if one cannot be removed; `progress` lists the ones discarded before it and can restore them.
 */
export async function discardCandidates(
  { dir, store }: { readonly dir: string; readonly store: Pick<CassetteStore, "remove"> },
  entries: readonly string[],
  progress: DiscardProgress = createDiscardProgress(dir),
): Promise<DiscardedRecordings> {
  const known = new Map((await listCandidates(dir)).map((one) => [one.entry, one]));
  const found = [...new Set(entries)].flatMap((entry) => known.get(entry) ?? []);
  const gone: string[] = [];
  try {
    for (const candidate of found) {
      const { entry } = candidate;
      if (candidate.replaces && hasEarlier(dir, entry))
        progress.done(candidate, await restoreEarlier(dir, entry));
      else {
        const removed = await store.remove(entry);
        progress.done(candidate, () => removed.restore());
      }
      gone.push(entry);
    }
  } finally {
    await takeOut(dir, gone);
  }
  return progress;
}

/** Collects the recordings discarded so far, so that they can be restored even if the next one fails. */
export interface DiscardProgress extends DiscardedRecordings {
  done(candidate: NewRecording, undo: () => Promise<void>): void;
}

export function createDiscardProgress(dir: string): DiscardProgress {
  const steps: { readonly candidate: NewRecording; readonly undo: () => Promise<void> }[] = [];
  return {
    get candidates() {
      return steps.map(({ candidate }) => candidate);
    },
    done(candidate, undo) {
      steps.push({ candidate, undo });
    },
    async undo() {
      const back: NewRecording[] = [];
      try {
        for (const { candidate, undo } of steps.toReversed()) {
          await undo();
          steps.pop();
          back.push(candidate);
        }
      } finally {
        await restoreNotes(dir, back);
      }
    },
  };
}

async function restoreNotes(dir: string, candidates: readonly NewRecording[]): Promise<void> {
  if (candidates.length === 0) return;
  await change(dir, (known) => {
    for (const candidate of candidates) known.set(candidate.entry, candidate);
  });
}

/** Returns the candidate that a call created, if any. */
export function createCandidate(event: Omit<CallEvent, "miss" | "madeUp">): NewRecording | undefined {
  const { entry, outcome, at, test } = event;
  // Entries of MetaGPT's own cache are reviewed in MetaGPT.
  if (outcome !== "recorded" || entry === null || readCachedEntry(entry) !== undefined) return undefined;
  return { entry, recordedAt: at, ...(test && { test: keptTest(test) }) };
}

async function takeOut(dir: string, entries?: readonly string[]): Promise<readonly NewRecording[]> {
  const taken: NewRecording[] = [];
  if (entries?.length === 0) return taken;
  if ((await listCandidates(dir)).length === 0) return taken;
  await change(dir, (known) => {
    for (const entry of entries ?? [...known.keys()]) {
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
): Promise<{ readonly value: readonly NewRecording[] }> {
  const { value } = await updateLocal(dir, NAME, (now) => {
    const known = new Map(candidatesFrom(now).map((one) => [one.entry, one]));
    edit(known);
    return { candidates: [...known.values()] };
  });
  return { value: value.candidates };
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
