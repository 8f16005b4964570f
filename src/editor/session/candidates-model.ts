import type { CallEvent } from "../../core/call.ts";
import { candidateFromCall, type Candidate } from "../../storage/local/candidates.ts";
import type { SessionModel } from "./session-model.ts";

/** Recordings made and not yet accepted, by entry. */
export type Candidates = Map<string, Candidate>;

/** What it replaced, if anything, the memory finds out; until then what was asked of the mode is taken for it. */
export function noteCandidate(candidates: Candidates, event: CallEvent): void {
  const candidate = candidateFromCall(event);
  if (!candidate) return;
  const before = candidates.get(candidate.entry);
  const replaces = before ? before.replaces === true : event.mode === "refresh";
  candidates.set(candidate.entry, { ...candidate, ...(replaces && { replaces }) });
}

/** The ways in which candidates change without a call. */
export function candidateChanges(
  candidates: Candidates,
): Pick<SessionModel, "recalled" | "accepted" | "judged"> {
  return {
    recalled(all) {
      candidates.clear();
      for (const one of all) candidates.set(one.entry, one);
    },
    accepted(entries) {
      for (const entry of entries) candidates.delete(entry);
    },
    judged(entries, outcome) {
      const fresh = entries.flatMap((entry) => candidates.get(entry) ?? []);
      const judged = fresh.map((candidate) => ({ ...candidate, outcome }));
      for (const one of judged) candidates.set(one.entry, one);
      return judged;
    },
  };
}
