import { type CachedRef, getCachedEntry } from "../../core/cassette/cached-ref.ts";
import type { Position } from "../../core/base/errors.ts";
import type { TestRef } from "../../core/call/call.ts";
import type { NewRecording } from "../../storage/local/candidates.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { RowState } from "../../core/view/row.ts";
import type { OpenFinding } from "../findings/findings-model.ts";

/**
 * The call of a command on a row, a document, or a test's problem: a recording, an entry of MetaGPT's cache (see
 * `getCachedEntry`), or a finding. Plain, because it can pass through JSON.
 */
export type CallTarget = { readonly entry: string } | { readonly finding: string };

/** The overview of the last days at a point in time (milliseconds since the epoch). */
export interface OverviewTarget {
  readonly overview: { readonly days: number; readonly at: number };
}

/** A run, or the newest run of a test, with the times of the run or of its recordings. */
export interface TimelineTarget {
  readonly timeline: {
    readonly run?: string;
    readonly test?: Pick<TestRef, "file" | "name">;
    readonly which: "run" | "recorded";
  };
}

export interface TestCalls {
  readonly test: Pick<TestRef, "file" | "name">;
}

export const FINDING_SECTIONS = ["failures", "missing", "made-up"] as const;
export type FindingSection = (typeof FINDING_SECTIONS)[number];

/** "failed": new recordings from failed tests. */
export type Section = FindingSection | "new" | "failed" | "recordings";

/** A line of the tree, without the editor's objects. */
export interface CallNode {
  /** Stable as long as it is the same line in the same place. */
  readonly id: string;
  readonly label: string;
  /** Beside the label; may be empty. */
  readonly description: string;
  /** The text for screen readers. */
  readonly spoken: string;
  /** A codicon's name; groups have none, which leaves more room for words. */
  readonly icon: string | undefined;
  /** `viewItem` in `when` clauses: words separated by spaces. */
  readonly context: string;
  readonly expand: "never" | "closed" | "open";
  readonly parent: CallNode | undefined;
  readonly subject: Subject;
  /** The folder of the call, if the tree shows several. */
  readonly folder?: string;
  /** Reads the recordings that it needs; empty for a row. */
  readonly children: () => Promise<readonly CallNode[]>;
}

/** Whether a command's argument is a line of the tree. */
export function isNode(value: unknown): value is CallNode {
  return typeof value === "object" && value !== null && "subject" in value && "children" in value;
}

type Subject =
  | {
      readonly kind: "section";
      readonly section: Section;
      readonly rows: readonly CallRow[];
    }
  | { readonly kind: "folder" }
  /** A problem that keeps Tapedeck from MetaGPT's tests, and the editor command that fixes it. */
  | { readonly kind: "notice"; readonly command: string }
  /** MetaGPT's cache, or a page of it. */
  | { readonly kind: "cache"; readonly file: string }
  | { readonly kind: "broken-cache"; readonly file: string; readonly position?: Position }
  | { readonly kind: "cached"; readonly ref: CachedRef; readonly question: string; readonly answer: string }
  | { readonly kind: "group"; readonly group: Group }
  | {
      readonly kind: "recording";
      readonly address: RecordingAddress;
      readonly state: RowState;
      /** The place of the error in a broken file. */
      readonly position?: Position;
      /** The later turns of its conversation, which are shown below it. */
      readonly below?: readonly RecordingRow[];
    }
  | FindingRow;

export type CallRow = FindingRow | RecordingRow;

export interface FindingRow {
  readonly kind: "finding";
  readonly finding: OpenFinding;
}

export interface RecordingRow {
  readonly kind: "recording";
  readonly address: RecordingAddress;
  readonly candidate?: NewRecording;
}

/** Rows that belong together, or groups of them. */
export interface Group {
  /** Unique among its siblings and stable. */
  readonly id: string;
  readonly kind: "file" | "test" | "provider" | "model" | "day" | "broken" | "none";
  readonly label: string;
  readonly rows: readonly RecordingRow[];
  /** If there are groups, the rows are shown in them. */
  readonly groups: readonly Group[];
  readonly test?: TestRef;
}

type NodeParts = Pick<CallNode, "id" | "label" | "description" | "spoken" | "context" | "subject"> &
  Partial<Pick<CallNode, "icon" | "parent" | "folder">>;

/** A line without others under it. */
export function createLeafNode(parts: NodeParts & { readonly icon: string }): CallNode {
  return { parent: undefined, ...parts, expand: "never", children: () => Promise.resolve([]) };
}

/** A line that opens. */
export function createBranchNode(
  parts: NodeParts & { readonly isOpen: boolean },
  children: (self: CallNode) => Promise<readonly CallNode[]>,
): CallNode {
  const { isOpen, ...rest } = parts;
  const node: CallNode = {
    icon: undefined,
    parent: undefined,
    ...rest,
    expand: isOpen ? "open" : "closed",
    children: () => children(node),
  };
  return node;
}

/**
 * Reads a command's arguments: targets, entries, lines of the tree (the clicked one, then all selected ones), or
 * arrays of these. Groups and sections are replaced by their content, in the state that `current` returns. Each target
 * is returned once.
 */
export function readTargets(
  args: readonly unknown[],
  current: (node: CallNode) => CallNode = (node) => node,
): readonly CallTarget[] {
  const targets = new Map<string, CallTarget>();
  for (const target of readChosen(args).flatMap((value) => targetsFromOne(value, current)))
    targets.set(JSON.stringify(target), target);
  return [...targets.values()];
}

function targetsFromOne(value: unknown, current: (node: CallNode) => CallNode): readonly CallTarget[] {
  if (Array.isArray(value)) return value.flatMap((one) => targetsFromOne(one, current));
  if (typeof value === "string") return [{ entry: value }];
  if (typeof value !== "object" || value === null) return [];
  if (isNode(value)) return targetsFromNode(current(value));
  if ("entry" in value && typeof value.entry === "string") return [{ entry: value.entry }];
  if ("finding" in value && typeof value.finding === "string") return [{ finding: value.finding }];
  return [];
}

/** The arguments of a command: the line of the tree, then all selected lines. */
export function readChosen(args: readonly unknown[]): readonly unknown[] {
  const [first, selected] = args;
  return isNode(first) && Array.isArray(selected) && selected.includes(first) ? selected : [first];
}

function targetsFromNode({ subject }: CallNode): readonly CallTarget[] {
  if (subject.kind === "cached") return [{ entry: getCachedEntry(subject.ref) }];
  const rows = subject.kind === "finding" || subject.kind === "recording" ? [subject] : rowsBelow(subject);
  return rows.map(targetOf);
}

const targetOf = (
  row: Pick<FindingRow, "kind" | "finding"> | Pick<RecordingRow, "kind" | "address">,
): CallTarget => (row.kind === "finding" ? { finding: row.finding.id } : { entry: row.address.entry });

/** The rows in a group or a section, or the later turns below a recording. */
function rowsBelow(subject: Subject): readonly CallRow[] {
  if (subject.kind === "recording") return subject.below ?? [];
  if (subject.kind === "group") return subject.group.rows;
  return subject.kind === "section" ? subject.rows : [];
}

/** Finds the row of a recording or finding; undefined if it is not below `roots`. Expands only its ancestors. */
export async function findCall(
  roots: readonly CallNode[],
  target: CallTarget,
): Promise<CallNode | undefined> {
  const targetJson = JSON.stringify(target);
  const isWanted = (row: Parameters<typeof targetOf>[0]): boolean =>
    JSON.stringify(targetOf(row)) === targetJson;
  for (const node of roots) {
    const { subject } = node;
    if ((subject.kind === "finding" || subject.kind === "recording") && isWanted(subject)) return node;
    if (rowsBelow(subject).some(isWanted)) return findCall(await node.children(), target);
  }
  return undefined;
}
