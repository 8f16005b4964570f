import { localize } from "../../core/base/localize.ts";
import { randomBytes } from "node:crypto";
import { createQueue } from "../../core/base/queue.ts";
import { runOneAtATime } from "../window/throttle.ts";
import { explain } from "../../core/base/errors.ts";
import type { CallEvent } from "../../core/call/call.ts";
import { createUsageNotes, type UsageNotes, type UsagePart } from "../../core/view/usage/usage-notes.ts";
import type { RecordingUsage } from "../../core/view/usage/usage.ts";
import {
  acceptCandidates,
  addCandidates,
  createCandidate,
  listCandidates,
  type NewRecording,
} from "../../storage/local/candidates.ts";
import { addUsage, readUsage } from "../../storage/local/usage-file.ts";

/** The notes that outlive the window and that processes share: new recordings, and the use of recordings. */
export type SessionMemory = ReturnType<typeof createSessionMemory>;

interface MemoryOptions {
  /** The cassette folder. */
  readonly dir: string;
  readonly onCandidates: (candidates: readonly NewRecording[]) => void;
  readonly onUsage: (usage: RecordingUsage) => void;
  /** A sentence for the log. */
  readonly onProblem: (problem: string) => void;
}

/** Combines the notes of many calls into one write. New recordings are written immediately, in case the window is killed. */
const WRITE_AFTER_MS = 1_500;

export function createSessionMemory(options: MemoryOptions) {
  const { dir, onProblem } = options;
  const pending = new Map<string, NewRecording>();
  const runs = createRunNotes();
  const files = createMemoryFiles(options, pending, runs);
  // One at a time, so that listeners get the updates in order.
  const next = createQueue();
  let timer: NodeJS.Timeout | undefined;
  const reportProblems = createReporter(onProblem);

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return next(() => reportProblems(files.writeAll));
  }
  const soon = (): void => void (timer ??= setTimeout(() => void flush(), WRITE_AFTER_MS));
  const atOnce = runOneAtATime(() => next(() => reportProblems(files.addNew)));
  const change = <T>(action: () => Promise<T>): Promise<T> =>
    next(async () => {
      try {
        // Changing a recording that could not be noted would have no effect.
        await files.writeAll();
        return await action();
      } finally {
        await files.read();
      }
    });

  return {
    /** Reads the notes that other processes may have written. */
    read: () => next(() => files.read()),
    /** Adds a call. `stretch` names the stretch of its run: one run of the tests. */
    addCall(event: CallEvent, stretch: string) {
      runs.note(event, stretch);
      const candidate = createCandidate(event);
      if (candidate) {
        pending.set(candidate.entry, candidate);
        atOnce();
      }
      soon();
    },
    /** Notes the end of a test run. `passed`: whether all its tests passed; undefined if unknown. */
    noteEnd(stretch: string, passed: boolean | undefined) {
      runs.ended(stretch, passed);
      soon();
    },
    /** Notes whether the tests that made these recordings passed. */
    noteOutcomes(candidates: readonly NewRecording[]) {
      for (const one of candidates) pending.set(one.entry, one);
      soon();
    },
    accept: (entries: readonly string[]) => change(async () => void (await acceptCandidates(dir, entries))),
    /** Runs an action on the files of new recordings while nothing is written here, and reads them again afterwards. */
    change,
    /** Writes pending changes. Failures are reported to `onProblem`. */
    flush,
  };
}

/** Reports failed writes. Writing is retried, but each problem is reported once. */
function createReporter(report: MemoryOptions["onProblem"]) {
  let problem: string | undefined;
  return async (writing: () => Promise<void>): Promise<void> => {
    try {
      await writing();
      problem = undefined;
    } catch (error) {
      const now = localize("New and used recordings cannot be noted: {0}", explain(error));
      if (now !== problem) report((problem = now));
    }
  };
}

/** Writes pending notes, and reads those of other processes. */
function createMemoryFiles(
  { dir, onCandidates, onUsage, onProblem }: MemoryOptions,
  pending: Map<string, NewRecording>,
  runs: ReturnType<typeof createRunNotes>,
) {
  const reportBroken = (broken: string | undefined): void => {
    if (broken !== undefined) onProblem(broken);
  };
  const addNew = async (): Promise<void> => {
    const made = [...pending.values()];
    if (made.length > 0) onCandidates(await addCandidates(dir, made));
    for (const one of made) if (pending.get(one.entry) === one) pending.delete(one.entry);
  };
  return {
    addNew,
    writeAll: async (): Promise<void> => {
      await addNew();
      const parts = runs.take();
      if (parts.length === 0) return;
      const { usage, broken } = await addUsage(dir, parts);
      reportBroken(broken);
      onUsage(usage);
    },
    async read(): Promise<void> {
      const listed = await listCandidates(dir);
      const known = new Map([...listed, ...pending.values()].map((one) => [one.entry, one]));
      onCandidates([...known.values()]);
      const { usage, broken } = await readUsage(dir);
      reportBroken(broken);
      onUsage(usage);
    },
  };
}

/** The notes of stretches that are in progress or ended after the last write. */
function createRunNotes() {
  const own = randomBytes(6).toString("hex");
  const notes = new Map<string, UsageNotes>();
  const changed = new Set<string>();
  const over: UsagePart[] = [];
  return {
    note(event: CallEvent, stretch: string): void {
      const known = notes.get(stretch) ?? createUsageNotes({ id: `${own}/${stretch}`, at: event.at });
      notes.set(stretch, known);
      known.note(event);
      changed.add(stretch);
    },
    ended(stretch: string, passed: boolean | undefined): void {
      const known = notes.get(stretch);
      if (known) over.push(passed === true ? known.whole(true) : known.soFar());
      notes.delete(stretch);
      changed.delete(stretch);
    },
    take(): readonly UsagePart[] {
      const going = [...changed].flatMap((stretch) => notes.get(stretch)?.soFar() ?? []);
      changed.clear();
      return [...over.splice(0), ...going];
    },
  };
}
