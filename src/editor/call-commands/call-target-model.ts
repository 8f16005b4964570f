import type { CallNode } from "../calls-tree/call-nodes-model.ts";

/** What a command on a row, a document or a test's problem is about. May come through JSON, so it is plain. */
export type CallTarget = { readonly entry: string } | { readonly missing: string };

/**
 * Reads a command's arguments: targets, entries, lines of the tree (the clicked one, then all selected ones), or
 * arrays of these. Groups and sections stand for what is in them, by what `current` says they are now. Each target
 * comes once.
 */
export function targetsFromArguments(
  args: readonly unknown[],
  current: (node: CallNode) => CallNode = (node) => node,
): readonly CallTarget[] {
  const targets = new Map<string, CallTarget>();
  for (const target of chosenOf(args).flatMap((value) => targetsFromOne(value, current)))
    targets.set(JSON.stringify(target), target);
  return [...targets.values()];
}

function targetsFromOne(value: unknown, current: (node: CallNode) => CallNode): readonly CallTarget[] {
  if (Array.isArray(value)) return value.flatMap((one) => targetsFromOne(one, current));
  if (typeof value === "string") return [{ entry: value }];
  if (typeof value !== "object" || value === null) return [];
  if (isNode(value)) return targetsFromNode(current(value));
  if ("entry" in value && typeof value.entry === "string") return [{ entry: value.entry }];
  if ("missing" in value && typeof value.missing === "string") return [{ missing: value.missing }];
  return [];
}

/** What a command was given: a line of the tree comes first, and with it all that are selected. */
export function chosenOf(args: readonly unknown[]): readonly unknown[] {
  const [first, selected] = args;
  return isNode(first) && Array.isArray(selected) && selected.includes(first) ? selected : [first];
}

export function isNode(value: unknown): value is CallNode {
  return typeof value === "object" && value !== null && "subject" in value && "children" in value;
}

function targetsFromNode({ subject }: CallNode): readonly CallTarget[] {
  if (subject.kind === "missing") return [{ missing: subject.call.id }];
  if (subject.kind === "recording") return [{ entry: subject.address.entry }];
  if (subject.kind !== "group" && subject.kind !== "section") return [];
  const rows = subject.kind === "group" ? subject.group.rows : subject.rows;
  return rows.map((row) =>
    row.kind === "missing" ? { missing: row.call.id } : { entry: row.address.entry },
  );
}
