import type { CallNode, CallRow, CallTarget, FindingRow, RecordingRow } from "../calls/call-node-model.ts";

/** Finds the row of a recording or finding; undefined if it is not below `roots`. Expands only its ancestors. */
export function findCall(roots: readonly CallNode[], subject: CallTarget): Promise<CallNode | undefined> {
  return findBelow(roots, (node) => leadsTo(node, subject));
}

async function findBelow(
  nodes: readonly CallNode[],
  leads: (node: CallNode) => "there" | "towards" | "away",
): Promise<CallNode | undefined> {
  for (const node of nodes) {
    const direction = leads(node);
    if (direction === "there") return node;
    if (direction === "towards") return findBelow(await node.children(), leads);
  }
  return undefined;
}

function leadsTo({ subject }: CallNode, wanted: CallTarget): "there" | "towards" | "away" {
  if (subject.kind === "finding") return isWanted(subject, wanted) ? "there" : "away";
  if (subject.kind === "recording")
    return isWanted(subject, wanted) ? "there" : hasWanted(subject.below ?? [], wanted);
  if (subject.kind !== "group" && subject.kind !== "section") return "away";
  const rows: readonly CallRow[] = subject.kind === "group" ? subject.group.rows : subject.rows;
  return hasWanted(rows, wanted);
}

function hasWanted(rows: readonly CallRow[], wanted: CallTarget): "towards" | "away" {
  return rows.some((row) => isWanted(row, wanted)) ? "towards" : "away";
}

function isWanted(
  row: Pick<FindingRow, "kind" | "finding"> | Pick<RecordingRow, "kind" | "address">,
  wanted: CallTarget,
): boolean {
  return row.kind === "finding"
    ? "finding" in wanted && row.finding.id === wanted.finding
    : "entry" in wanted && row.address.entry === wanted.entry;
}
