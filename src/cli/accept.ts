import { isTapedeckError, type TapedeckError } from "../core/errors.ts";
import type { CallEvent } from "../core/exchange.ts";
import { readCandidates, writeCandidates, type Candidate } from "../storage/candidates.ts";

/** What became of the new recordings of a run. */
export interface Kept {
  /** That are no longer new. */
  readonly accepted: number;
  /** That this run made and that stay new. */
  readonly added: number;
  readonly failure?: TapedeckError;
}

/**
 * Remembers the recordings that a run made as new, which the editor shows until somebody accepts them; or, with
 * `accept`, forgets that those which it made or replayed are new. The recordings themselves stay as they are.
 */
export async function keepCandidates(
  dir: string,
  events: readonly CallEvent[],
  accept: boolean,
): Promise<Kept> {
  const made = candidatesOf(events);
  const used = new Set(events.flatMap(({ entry }) => entry ?? []));
  const known = await readCandidates(dir);
  const old = known.filter(({ entry }) => !(accept ? used : made).has(entry));
  const now: readonly Candidate[] = accept ? old : [...old, ...made.values()];
  const remembered = known.filter(({ entry }) => used.has(entry) && !made.has(entry));
  const kept: Kept = accept
    ? { accepted: made.size + remembered.length, added: 0 }
    : { accepted: 0, added: made.size };
  if (old.length === known.length && now.length === known.length) return kept;
  try {
    await writeCandidates(dir, now);
    return kept;
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    return { accepted: 0, added: made.size, failure: error };
  }
}

function candidatesOf(events: readonly CallEvent[]): ReadonlyMap<string, Candidate> {
  const made = new Map<string, Candidate>();
  for (const { outcome, entry, at, test } of events) {
    if (outcome !== "recorded" || entry === null) continue;
    const name = test && {
      file: test.file,
      name: test.name,
      ...(test.line !== undefined && { line: test.line }),
    };
    made.set(entry, { entry, recordedAt: at, ...(name && { test: name }) });
  }
  return made;
}

/** What to say of it; undefined where there is nothing. */
export function keptText({ accepted, added, failure }: Kept, asked: boolean): string | undefined {
  if (failure !== undefined) return `${failure.message} ${failure.hint}`;
  if (accepted > 0) return `${recordings(accepted)} accepted.`;
  if (added === 0) return undefined;
  if (asked) return `${recordings(added)} not accepted, because the command failed.`;
  return `${recordings(added)}. Review and commit them; --update accepts them at once.`;
}

function recordings(count: number): string {
  return `${count} new recording${count === 1 ? "" : "s"}`;
}
