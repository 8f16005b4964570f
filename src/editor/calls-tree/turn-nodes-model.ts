import type { TestRef } from "../../core/call.ts";
import { callsIn, type TurnLine } from "../../core/conversation/outline.ts";
import { countText } from "../../core/plural.ts";
import { groupNode, recordingNode } from "./call-nodes-model.ts";
import type { CallNode, Group, RecordingRow } from "./call-node-model.ts";
import type { Rows, RowSources } from "./call-rows-model.ts";

/** A test and those of its recordings that are shown. */
export interface TurnsOf {
  readonly rows: readonly RecordingRow[];
  readonly test: Pick<TestRef, "file" | "name">;
}

interface Surroundings {
  readonly rows: Rows;
  readonly sources: Pick<RowSources, "index">;
  readonly opened: ReadonlyMap<string, boolean>;
  readonly now: number;
}

type Line = TurnLine<RecordingRow>;

/** So many lines are shown at once; more are shown in pages. */
export const PAGE = 500;

/** A test's recordings as the turns of its conversations. Reads them first: what continues what stands in the files. */
export async function turnNodes(
  parent: CallNode,
  { rows, test }: TurnsOf,
  around: Surroundings,
): Promise<readonly CallNode[]> {
  await around.sources.index.ensure(rows.map((row) => row.address.entry));
  const lines = around.rows.turns(rows, test);
  if (lines.length <= PAGE) return lines.map((line) => lineNode(line, parent, around));
  const starts = Array.from({ length: Math.ceil(lines.length / PAGE) }, (_, index) => index * PAGE);
  return starts.map((start) => pageNode(lines.slice(start, start + PAGE), { start, parent, around }));
}

function pageNode(
  lines: readonly Line[],
  place: { readonly start: number; readonly parent: CallNode; readonly around: Surroundings },
): CallNode {
  const { start, parent, around } = place;
  const label = `${countText(start + 1)} to ${countText(start + lines.length)}`;
  const page: Group = { id: `from ${start}`, kind: "none", label, rows: callsIn(lines), groups: [] };
  return groupNode(page, {
    parent,
    section: "recordings",
    isOpen: (id) => around.opened.get(id) ?? false,
    children: (self) => Promise.resolve(lines.map((line) => lineNode(line, self, around))),
  });
}

/** Later turns and branches are shown without a click: few look for them. */
function lineNode(line: Line, parent: CallNode, around: Surroundings): CallNode {
  const { rows, sources, now, opened } = around;
  const { call, below } = line;
  const options = { parent, now, rows, takes: sources.index.takesBeside(call.address), line };
  if (below.length === 0) return recordingNode(call, options);
  return recordingNode(call, options, {
    isOpen: (id) => opened.get(id) ?? true,
    children: (self) => Promise.resolve(below.map((one) => lineNode(one, self, around))),
  });
}
