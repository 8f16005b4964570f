import type { Mode, CallEvent } from "../core/call/call.ts";
import { sortRunRecord, createRunCall, type RunRecord } from "../core/view/run-record/run-record.ts";
import { keepRun, createRunId } from "../storage/runs/kept-runs.ts";
import { noteTimings } from "../storage/runs/timings.ts";
import { mayHoldCredential } from "./last-command.ts";
import type { RunEvent } from "./report/run-report.ts";
import type { Deck } from "../deck/deck.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { createUsageNotes } from "../core/view/usage/usage-notes.ts";
import { addCandidates, createCandidate, type NewRecording } from "../storage/local/candidates.ts";
import { addUsage } from "../storage/local/usage-file.ts";

interface RunSummary {
  readonly mode: Mode;
  readonly command: readonly string[];
  /** Absent if it is unknown. */
  readonly passed?: boolean;
  /** Calls beyond those that are given. */
  readonly left?: number;
}

/**
 * Keeps the run on this machine for the editor's timeline and the overview, and returns it; undefined if it had no
 * calls. If it cannot be kept, that is printed and nothing fails. Facts of recordings are added when the run is shown.
 */
export async function rememberRun(
  events: readonly RunEvent[],
  { mode, command, ...known }: RunSummary,
  { deck, reportUnsaved }: { readonly deck: Deck; readonly reportUnsaved: (error: unknown) => void },
): Promise<RunRecord | undefined> {
  const startedAt = events[0]?.at;
  if (startedAt === undefined) return undefined;
  const calls = events.map((event) => createRunCall(event, startedAt));
  await noteTimings(deck.dir, calls).catch(() => undefined);
  const title = (await mayHoldCredential(command)) ? undefined : command.join(" ");
  const id = createRunId(startedAt);
  const record = sortRunRecord({
    ...known,
    id,
    startedAt,
    mode,
    calls,
    source: "command",
    ...pickDefined({ title }),
  });
  try {
    await keepRun(deck.dir, record);
  } catch (error) {
    reportUnsaved(error);
  }
  return record;
}

export type RunNotes = ReturnType<typeof createRunNotes>;

/** Notes what the calls of one run use and make. `startedAt`: when it began, in milliseconds since the epoch. */
export function createRunNotes(startedAt: number) {
  const usage = createUsageNotes({ id: randomBytes(8).toString("hex"), at: startedAt });
  const made = new Map<string, NewRecording>();
  return {
    note(event: CallEvent): void {
      usage.note(event);
      const candidate = createCandidate(event);
      if (candidate) made.set(candidate.entry, candidate);
    },
    /**
     * Adds the notes to those in the cassette folder. If notes there could not be read, returns a sentence about it.
     * @throws TapedeckError if the folder cannot be written
     */
    async save(dir: string, commandCode: number | undefined): Promise<string | undefined> {
      // Without recordings there is nothing to note, and a folder only for the notes would be in the way.
      if (usage.isEmpty || !existsSync(dir)) return undefined;
      const { broken } = await addUsage(dir, [usage.whole((commandCode ?? 0) === 0)]);
      // If the run failed, it is unknown which of its tests failed.
      const outcome = commandCode === 0 ? ({ outcome: "passed" } as const) : {};
      await addCandidates(
        dir,
        [...made.values()].map((candidate) => ({ ...candidate, ...outcome })),
      );
      return broken;
    },
  };
}
