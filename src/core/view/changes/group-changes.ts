import { localize } from "../../base/localize.ts";
import { groupBy } from "../../base/group-by.ts";
import { operationRequest } from "../../match/read-request.ts";
import { sameBytes } from "../../match/differences/differences.ts";
import { differences } from "../../match/differences/differences.ts";
import { pairChanges, type ChangedCall, type Placed } from "./pair-changes.ts";

/** Calls that changed in the same way. */
export interface Cause {
  /** What changed, a line each, as a miss tells it. */
  readonly differences: readonly string[];
  readonly calls: readonly ChangedCall[];
}

export interface Changes {
  /** Those of most calls first. */
  readonly causes: readonly Cause[];
  readonly added: readonly Placed[];
  readonly removed: readonly Placed[];
  /** The same call with another reply. */
  readonly replies: readonly ChangedCall[];
  /** The same call with the same reply: only when, or by which test, it was made is otherwise. */
  readonly again: readonly ChangedCall[];
}

export interface ChangedFiles {
  readonly removed: readonly Placed[];
  readonly added: readonly Placed[];
  /** At the same place in both states. */
  readonly kept: readonly ChangedCall[];
}

export function groupChanges({ removed, added, kept }: ChangedFiles): Changes {
  const pairs = pairChanges(removed, added);
  const told = pairs.changed.map((call) => ({ call, differences: whatChanged(call) }));
  const causes = groupBy(told, (one) => one.differences.join("\n")).map((group) => ({
    differences: group[0]?.differences ?? [],
    calls: group.map(({ call }) => call),
  }));
  return {
    causes: causes.toSorted((a, b) => b.calls.length - a.calls.length),
    added: pairs.added,
    removed: pairs.removed,
    replies: kept.filter((call) => !isSameReply(call)),
    again: kept.filter(isSameReply),
  };
}

function whatChanged({ before, after }: ChangedCall): readonly string[] {
  const [recorded, asked] = [operationRequest(before.recording), operationRequest(after.recording)];
  const found = differences(recorded, asked).map(({ text }) => text);
  return found.length > 0 ? found : [localize("the rules of tapedeck.jsonc, which determine its name")];
}

function isSameReply({ before, after }: ChangedCall): boolean {
  const [old, now] = [before.recording.reply, after.recording.reply];
  if (old.status !== now.status || old.contentType !== now.contentType) return false;
  return sameBytes(old.body, now.body);
}
