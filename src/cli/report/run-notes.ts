import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { explain } from "../../core/errors.ts";
import type { CallEvent } from "../../core/call.ts";
import { createUsageNotes } from "../../core/usage/usage-notes.ts";
import { addCandidates, candidateFromCall, type Candidate } from "../../storage/local/candidates.ts";
import { addUsage } from "../../storage/local/usage-file.ts";

/** Notes what the calls of one run use and make. */
export interface RunNotes {
  note(event: CallEvent): void;
  /**
   * Adds the notes to what is known in the cassette folder. It is a convenience: where they cannot be kept, nothing
   * fails, and the result says so in sentences.
   */
  save(dir: string, commandCode: number | undefined): Promise<readonly string[]>;
}

/** `startedAt`: when the run began, in milliseconds since the epoch. */
export function createRunNotes(startedAt: number): RunNotes {
  const usage = createUsageNotes({ id: randomBytes(8).toString("hex"), at: startedAt });
  const made = new Map<string, Candidate>();
  return {
    note(event) {
      usage.note(event);
      const candidate = candidateFromCall(event);
      if (candidate) made.set(candidate.entry, candidate);
    },
    async save(dir, commandCode) {
      // Without a recording there is nothing to tell of, and a folder only for this would be in the way.
      if (usage.isEmpty || !existsSync(dir)) return [];
      try {
        const { broken } = await addUsage(dir, [usage.whole((commandCode ?? 0) === 0)]);
        // Of a run that failed nobody knows which of its tests did.
        const outcome = commandCode === 0 ? ({ outcome: "passed" } as const) : {};
        await addCandidates(
          dir,
          [...made.values()].map((candidate) => ({ ...candidate, ...outcome })),
        );
        return broken === undefined ? [] : [broken];
      } catch (error) {
        return [`Which recordings this run used was not noted: ${explain(error)}`];
      }
    },
  };
}
