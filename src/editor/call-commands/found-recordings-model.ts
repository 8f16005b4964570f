import type { RecordingRow } from "../calls/call-node-model.ts";
import type { CallFacts } from "../calls/call-facts-model.ts";
import { type CallFilter, filterFromText } from "../calls/call-filter-model.ts";
import type { Rows } from "../calls-tree/call-rows-model.ts";

/** The recordings that were read and have what is typed, the best first: those in whose line it stands, then the newest. */
export type FindRecordings = (text: string) => Promise<readonly RecordingRow[]>;

interface Hit {
  readonly row: RecordingRow;
  /** What is typed stands in the line as it is typed. */
  readonly isSaid: boolean;
  readonly recordedAt: number;
}

interface Judged {
  readonly facts: CallFacts;
  readonly hit: Hit | undefined;
}

const EVERYTHING = filterFromText("");

/**
 * Asked again for the same text, it looks only at what was read since: a folder of thousands is asked many times while
 * it is being read. Where nothing was added, the very same list is given back. `most`: so many are given.
 */
export function createFindRecordings(
  rows: Pick<Rows, "recordings" | "passes" | "facts">,
  most: number,
): FindRecordings {
  let judged = new Map<string, Judged>();
  let asked: { readonly text: string; readonly filter: CallFilter } | undefined;
  let found: readonly RecordingRow[] = [];

  return async (text) => {
    const { fresh, failed, kept } = await rows.recordings(EVERYTHING);
    const isNew = asked?.text !== text;
    if (isNew) [judged, found] = [new Map(), []];
    asked = isNew ? { text, filter: filterFromText(text) } : asked;
    const before = judged;
    judged = new Map();
    let hasChanged = isNew;
    for (const row of [...fresh, ...failed, ...kept]) {
      const { entry } = row.address;
      const [facts, known] = [rows.facts(row), before.get(entry)];
      if (facts === undefined) continue;
      const passed = known?.facts === facts ? known : judge(row, facts, asked?.filter ?? EVERYTHING, text);
      if (passed === undefined) continue;
      judged.set(entry, passed);
      if (passed !== known && (passed.hit ?? known?.hit) !== undefined) hasChanged = true;
    }
    if (hasChanged || judged.size < before.size) found = bestOf(judged, most);
    return found;
  };

  /** Undefined where more has to be read first. */
  function judge(row: RecordingRow, facts: CallFacts, filter: CallFilter, text: string): Judged | undefined {
    const passed = rows.passes(filter, row);
    if (passed === undefined) return undefined;
    const isSaid = facts.kind === "read" && facts.label.toLowerCase().includes(text.trim().toLowerCase());
    const recordedAt = facts.kind === "read" ? facts.recordedAt : 0;
    return { facts, hit: passed ? { row, isSaid, recordedAt } : undefined };
  }
}

function bestOf(judged: ReadonlyMap<string, Judged>, most: number): readonly RecordingRow[] {
  const hits: Hit[] = [];
  for (const { hit } of judged.values()) if (hit !== undefined) hits.push(hit);
  return hits
    .sort((a, b) => Number(b.isSaid) - Number(a.isSaid) || b.recordedAt - a.recordedAt)
    .slice(0, most)
    .map(({ row }) => row);
}
