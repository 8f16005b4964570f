import type { CachedRef } from "../../core/cassette/cached-ref.ts";
import type { Position } from "../../core/base/errors.ts";
import type { TestRef } from "../../core/call/call.ts";
import type { NewRecording } from "../../storage/local/candidates.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { Stray } from "../../storage/folder/find-recordings.ts";
import type { RowState } from "../../core/view/row.ts";
import type { OpenFinding } from "../findings/findings-model.ts";

/** What a command on a row, a document or a test's problem is about. May come through JSON, so it is plain. */
export type CallTarget = { readonly entry: string } | { readonly finding: string };

export interface CachedTarget {
  readonly cached: CachedRef;
}

/** The overview of the last days, as it was at a time in milliseconds since the epoch. */
export interface OverviewTarget {
  readonly overview: { readonly days: number; readonly at: number };
}

export interface TestCalls {
  readonly test: Pick<TestRef, "file" | "name">;
}

export const FINDING_SECTIONS = ["failures", "faults", "missing", "made-up"] as const;
export type FindingSection = (typeof FINDING_SECTIONS)[number];

/** "failed": new, from tests that failed. */
export type Section = FindingSection | "new" | "failed" | "recordings";

/** A line of the tree, without the editor's objects. */
export interface CallNode {
  /** The same as long as it is the same line in the same place. */
  readonly id: string;
  readonly label: string;
  /** Beside the label; may be empty. */
  readonly description: string;
  /** What a screen reader says. */
  readonly spoken: string;
  /** A codicon's name; groups have none, which leaves more room for words. */
  readonly icon: string | undefined;
  /** What `viewItem` is in `when` clauses: words with a space between them. */
  readonly context: string;
  readonly expand: "never" | "closed" | "open";
  readonly parent: CallNode | undefined;
  readonly subject: Subject;
  /** The folder whose call it is, where the tree shows several. */
  readonly folder?: string;
  /** Reads what it needs; empty for a row. */
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
  | { readonly kind: "strays"; readonly strays: readonly Stray[] }
  | { readonly kind: "stray"; readonly stray: Stray }
  /** A problem that keeps Tapedeck from MetaGPT's tests, and the editor command that fixes it. */
  | { readonly kind: "notice"; readonly command: string }
  /** MetaGPT's cache, or a page of it. */
  | { readonly kind: "cache"; readonly file: string }
  | { readonly kind: "broken-cache"; readonly file: string; readonly position?: Position }
  | { readonly kind: "cached"; readonly ref: CachedRef; readonly asked: string; readonly answer: string }
  | { readonly kind: "group"; readonly group: Group }
  | {
      readonly kind: "recording";
      readonly address: RecordingAddress;
      readonly state: RowState;
      /** Where a broken file is wrong. */
      readonly position?: Position;
      /** What is shown below it: later turns of its conversation. */
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
  /** Unique among its siblings, the same as long as it is the same group. */
  readonly id: string;
  readonly kind: "file" | "test" | "provider" | "model" | "day" | "broken" | "none";
  readonly label: string;
  readonly rows: readonly RecordingRow[];
  /** Where there are any, the rows are shown in them. */
  readonly groups: readonly Group[];
  readonly test?: TestRef;
}

type NodeParts = Pick<CallNode, "id" | "label" | "description" | "spoken" | "context" | "subject"> &
  Partial<Pick<CallNode, "icon" | "parent" | "folder">>;

/** A line without others under it. */
export function leafNode(parts: NodeParts & { readonly icon: string }): CallNode {
  return { parent: undefined, ...parts, expand: "never", children: () => Promise.resolve([]) };
}

/** A line that opens. */
export function branchNode(
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
