import { isTapedeckError, type TapedeckError } from "../../core/errors.ts";
import type { CallEvent } from "../../core/call.ts";
import { acceptCandidates, addCandidates, candidateFromCall } from "../../storage/local/candidates.ts";
import { plural } from "../../core/plural.ts";

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
  events: readonly Omit<CallEvent, "miss">[],
  accept: boolean,
): Promise<Kept> {
  const made = new Map(
    events.flatMap((event) => candidateFromCall(event) ?? []).map((one) => [one.entry, one]),
  );
  const used = new Set(events.flatMap(({ entry }) => entry ?? []));
  if (used.size === 0) return { accepted: 0, added: 0 };
  try {
    const known = await addCandidates(dir, [...made.values()]);
    if (!accept) return { accepted: 0, added: made.size };
    const wanted = known.map(({ entry }) => entry).filter((entry) => used.has(entry));
    return { accepted: wanted.length === 0 ? 0 : (await acceptCandidates(dir, wanted)).length, added: 0 };
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    return { accepted: 0, added: made.size, failure: error };
  }
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
  return plural(count, "new recording");
}
