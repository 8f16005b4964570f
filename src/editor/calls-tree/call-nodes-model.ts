import type { Stray } from "../../core/cassette/store.ts";
import type { RequestView } from "../../core/describe.ts";
import { type RowState, callLabel, rowText } from "../../core/view/row.ts";
import { shortKey } from "../../core/view/names.ts";
import { willBeMissing } from "../edits/stale-edit-model.ts";
import type { CallFacts } from "./call-facts-model.ts";
import type { Rows } from "./call-rows-model.ts";
import {
  branchNode,
  leafNode,
  type Group,
  type MissingRow,
  type RecordingRow,
  type Section,
  type CallNode,
} from "./call-node-model.ts";
import { plural } from "../../core/plural.ts";

const ICONS: Record<RowState, string> = {
  recorded: "circle-outline",
  new: "circle-filled",
  missing: "warning",
  stale: "history",
  broken: "error",
};

export function missingNode(
  { call }: MissingRow,
  options: { readonly parent: CallNode; readonly now: number; readonly view: RequestView | undefined },
): CallNode {
  const { miss, test, at, count } = call;
  const { parent, now, view } = options;
  const text = rowText(
    {
      label: view ? callLabel(view) : `"${miss.label}"`,
      state: "missing",
      model: miss.model ?? miss.operation,
      ...(test && { test }),
      at,
    },
    { now },
  );
  const times = count > 1 ? ` · ${count} times` : "";
  return leafNode({
    id: `${parent.id}/${call.id}`,
    label: text.label,
    description: text.description + times,
    spoken: text.spoken + times,
    icon: ICONS.missing,
    context: words("missing", miss.nearest && "nearest", test && "test"),
    parent,
    subject: { kind: "missing", call },
  });
}

export function recordingNode(
  row: RecordingRow,
  options: { readonly parent: CallNode; readonly now: number; readonly rows: Rows; readonly takes: number },
): CallNode {
  const { parent, rows } = options;
  const { address } = row;
  const facts = rows.facts(row);
  const state = rows.state(row);
  const text = facts?.kind === "read" ? readText(facts, row, options) : brokenText(facts, row);
  const hasTest = rows.tests(row).length > 0;
  const position = facts?.kind === "broken" ? facts.position : undefined;
  return leafNode({
    id: `${parent.id}/${address.entry}`,
    ...text,
    icon: ICONS[state],
    context: words("recording", state, hasTest && "test", row.candidate?.replaces && "replaces"),
    parent,
    subject: { kind: "recording", address, state, ...(position && { position }) },
  });
}

type RowWords = Pick<CallNode, "label" | "description" | "spoken">;

function readText(
  facts: Extract<CallFacts, { kind: "read" }>,
  row: RecordingRow,
  { now, rows, takes }: { readonly now: number; readonly rows: Rows; readonly takes: number },
): RowWords {
  const state = rows.state(row);
  const edit = rows.edit(row);
  const remark = [
    ...(row.candidate?.replaces ? ["refreshed"] : []),
    ...(state === "stale" ? ["stale"] : []),
    ...(edit && willBeMissing(edit) ? [edit.isCertain ? "edited" : "perhaps edited"] : []),
  ];
  const text = rowText(
    {
      label: facts.label,
      state,
      model: facts.model ?? facts.operation,
      ...(facts.usage && { usage: facts.usage }),
      ...(facts.recordedAt > 0 && { at: facts.recordedAt }),
      take: { k: row.address.take, of: takes },
    },
    { now, facts: ["take", "model", "tokens", "age"] },
  );
  const spoken = edit && willBeMissing(edit) ? `${text.spoken}, its prompt was edited` : text.spoken;
  return { ...text, spoken, description: [...remark, text.description].join(" · ") };
}

function brokenText(facts: CallFacts | undefined, { address }: RecordingRow): RowWords {
  if (facts?.kind !== "broken") {
    const label = shortKey(address.key);
    return { label, description: address.provider, spoken: `${label}, ${address.provider}, not read yet` };
  }
  const { position, reason } = facts;
  const label = `${shortKey(address.key)}.json`;
  const description = position ? `${position.line}:${position.column} · ${reason}` : reason;
  return { label, description, spoken: `${label}, broken, cannot be read: ${reason}` };
}

/** A group, or a page of one that is too long to be shown at once. */
export function groupNode(
  group: Group,
  options: Opening & { readonly parent: CallNode; readonly section: Section },
): CallNode {
  const { parent, isOpen, children, section } = options;
  const count = group.rows.length;
  const id = `${parent.id}/${group.id}`;
  return branchNode(
    {
      id,
      label: group.label,
      description: String(count),
      spoken: `${group.label}, ${plural(count, "recording")}`,
      context: words("group", ...SECTIONS[section].context, group.kind),
      isOpen: isOpen(id),
      parent,
      subject: { kind: "group", group },
    },
    children,
  );
}

/** How a line opens, and to what. */
interface Opening {
  readonly isOpen: (id: string) => boolean;
  readonly children: (self: CallNode) => Promise<readonly CallNode[]>;
}

interface SectionTexts {
  readonly label: string;
  readonly unit: string;
  /** Its words in `viewItem`: what failed tests recorded is new as well. */
  readonly context: readonly string[];
}

const SECTIONS: Record<Section, SectionTexts> = {
  missing: { label: "Missing", unit: "missing call", context: ["missing"] },
  new: { label: "New", unit: "new recording", context: ["new"] },
  failed: { label: "New, from failed tests", unit: "new recording", context: ["new", "failed"] },
  recordings: { label: "Recordings", unit: "recording", context: ["recordings"] },
};

export function sectionNode(
  section: Section,
  options: Opening & {
    readonly rows: readonly (MissingRow | RecordingRow)[];
    /** Without the filter. */
    readonly total: number;
    /** Sets the ids apart of trees that open differently. */
    readonly prefix: string;
  },
): CallNode {
  const { rows, total, prefix, isOpen, children } = options;
  const { label, unit } = SECTIONS[section];
  const description = rows.length === total ? String(total) : `${rows.length} of ${total}`;
  const id = `${prefix}${section}`;
  return branchNode(
    {
      id,
      label,
      description,
      spoken: `${label}, ${rows.length === total ? "" : `${rows.length} of `}${plural(total, unit)}`,
      context: words("section", ...SECTIONS[section].context),
      isOpen: isOpen(id), // also without rows: it is to show the first one at once
      subject: { kind: "section", section, rows },
    },
    children,
  );
}

/** What lies among the recordings and is none. */
export function straysNode(strays: readonly Stray[], isOpen: boolean): CallNode {
  return branchNode(
    {
      id: "strays",
      label: "Not recordings",
      description: String(strays.length),
      spoken: `Not recordings, ${plural(strays.length, "file")}`,
      context: "section strays",
      isOpen,
      subject: { kind: "strays", strays },
    },
    (node) => Promise.resolve(strays.map((stray) => strayNode(stray, node))),
  );
}

function strayNode(stray: Stray, parent: CallNode): CallNode {
  const { path, reason } = stray;
  const label = path.slice(path.lastIndexOf("/") + 1);
  return leafNode({
    id: `strays/${path}`,
    label,
    description: reason,
    spoken: `${label}, no recording: ${reason}`,
    icon: "question",
    context: "stray",
    parent,
    subject: { kind: "stray", stray },
  });
}

function words(...all: readonly (string | false | undefined)[]): string {
  return all.filter((word) => typeof word === "string").join(" ");
}
