import { localize } from "../../base/localize.ts";
import { groupBy } from "../../base/group-by.ts";
import { readOperationRequest } from "../../match/read-request.ts";
import { isSameBytes } from "../../match/differences/differences.ts";
import { listDifferences } from "../../match/differences/differences.ts";
import { pairChanges, type ChangedCall, type PlacedRecording } from "./pair-changes.ts";

/** Calls that changed in the same way. */
export interface Cause {
  /** One line for each difference, worded as in a miss. */
  readonly differences: readonly string[];
  readonly calls: readonly ChangedCall[];
}

export interface Changes {
  /** Sorted by number of calls, largest first. */
  readonly causes: readonly Cause[];
  readonly added: readonly PlacedRecording[];
  readonly removed: readonly PlacedRecording[];
  /** Calls with the same request and a different reply. */
  readonly replies: readonly ChangedCall[];
  /** Calls with the same request and reply; only the time or the test differs. */
  readonly again: readonly ChangedCall[];
}

export interface ChangedFiles {
  readonly removed: readonly PlacedRecording[];
  readonly added: readonly PlacedRecording[];
  /** Recordings with the same path in both states. */
  readonly kept: readonly ChangedCall[];
}

export function groupChanges({ removed, added, kept }: ChangedFiles): Changes {
  const pairs = pairChanges(removed, added);
  const described = pairs.changed.map((call) => ({ call, differences: describeChange(call) }));
  const causes = groupBy(described, (one) => one.differences.join("\n")).map((group) => ({
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

function describeChange({ before, after }: ChangedCall): readonly string[] {
  const [recorded, asked] = [readOperationRequest(before.recording), readOperationRequest(after.recording)];
  const found = listDifferences(recorded, asked).map(({ text }) => text);
  return found.length > 0 ? found : [localize("the rules of tapedeck.jsonc, which determine its name")];
}

function isSameReply({ before, after }: ChangedCall): boolean {
  const [old, now] = [before.recording.reply, after.recording.reply];
  if (old.status !== now.status || old.contentType !== now.contentType) return false;
  return isSameBytes(old.body, now.body);
}
