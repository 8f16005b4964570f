import { joinList, localize } from "../../core/base/localize.ts";
import { COMMANDS, type CommandId } from "../window/ids.ts";
import { type RowState, formatRow, shorten } from "../../core/view/row.ts";
import { formatTestTitle } from "../../core/call/test-names.ts";
import { shortenKey } from "../../core/cassette/address.ts";
import { type TurnLine, listCallsOfLines } from "../../core/view/conversation/outline.ts";
import { isRuled } from "../findings/findings-model.ts";
import type { CallFacts, ReadFacts } from "../calls/call-facts-model.ts";
import type { Rows } from "./call-rows-model.ts";
import {
  type CallNode,
  type CallRow,
  type Group,
  type RecordingRow,
  type Section,
  createBranchNode,
  createLeafNode,
} from "../calls/call-node-model.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";

const ICONS: Record<RowState, string> = {
  recorded: "circle-outline",
  new: "circle-filled",
  missing: "warning",
  "made-up": "beaker",
  stale: "history",
  broken: "error",
};

interface RowOptions {
  readonly parent: CallNode;
  readonly now: number;
  readonly rows: Rows;
  readonly takes: number;
  /** The row as a turn of its test; absent for a single row. */
  readonly line?: TurnLine<RecordingRow>;
}

/** `opening`: of a row with later turns below it. */
export function createRecordingNode(row: RecordingRow, options: RowOptions, opening?: Expander): CallNode {
  const { parent, rows, line } = options;
  const { address } = row;
  const facts = rows.facts(row);
  const state = rows.state(row);
  const text = facts?.kind === "read" ? readText(facts, row, options) : brokenText(facts, row);
  const hasTest = rows.tests(row).length > 0;
  const position = facts?.kind === "broken" ? facts.position : undefined;
  const below = listCallsOfLines(line?.below ?? []);
  const id = `${parent.id}/${address.entry}`;
  const parts = {
    id,
    ...text,
    icon: ICONS[state],
    context: words("recording", state, hasTest && "test", row.candidate?.replaces && "replaces"),
    parent,
    subject: {
      kind: "recording" as const,
      address,
      state,
      ...(position && { position }),
      ...(below.length > 0 && { below }),
    },
  };
  return opening
    ? createBranchNode({ ...parts, isOpen: opening.isOpen(id) }, opening.children)
    : createLeafNode(parts);
}

type RowWords = Pick<CallNode, "label" | "description" | "spoken">;

function readText(facts: ReadFacts, row: RecordingRow, { now, rows, takes, line }: RowOptions): RowWords {
  const state = rows.state(row);
  const { label, adds, spoken: turn } = turnWords(facts, line);
  const remark = [
    ...(row.candidate?.replaces ? [localize("re-recorded")] : []),
    ...(rows.isTeams(row) ? [localize("from the team")] : []),
    ...(state === "stale" ? [localize("stale")] : []),
    ...adds,
  ];
  const text = formatRow(
    {
      label,
      state,
      model: facts.model ?? facts.operation,
      usage: facts.usage,
      status: facts.status,
      ...(facts.recordedAt > 0 && { at: facts.recordedAt }),
      take: { k: row.address.take, of: takes },
    },
    { now, facts: ["take", "model", "status", "tokens", "age"] },
  );
  const spoken = turn + text.spoken.slice(label.length);
  return { ...text, spoken, description: [...remark, text.description].join(" · ") };
}

interface TurnWords {
  readonly label: string;
  /** The user's message of this turn, if the label does not contain it. */
  readonly adds: readonly string[];
  /** The label for screen readers. */
  readonly spoken: string;
}

function turnWords({ label, turn }: ReadFacts, line: TurnLine<RecordingRow> | undefined): TurnWords {
  if (line === undefined || line.named === "asked") return { label, adds: [], spoken: label };
  if (line.named === "both") {
    const both = `${label} → ${turn.answered}`;
    return { label: both, adds: [], spoken: joinList([label, localize("answered {0}", turn.answered)]) };
  }
  const adds = turn.endsWithUser ? [label] : [];
  const spoken = joinList([
    localize("turn {0}", line.number),
    ...adds.map((text) => localize("asked {0}", text)),
    localize("answered {0}", turn.answered),
  ]);
  return { label: `${line.number} ${turn.answered}`, adds, spoken };
}

function brokenText(facts: CallFacts | undefined, { address }: RecordingRow): RowWords {
  if (facts?.kind !== "broken") {
    const label = shortenKey(address.key);
    return {
      label,
      description: address.provider,
      spoken: joinList([label, address.provider, localize("not read yet")]),
    };
  }
  const { position, reason } = facts;
  const label = `${shortenKey(address.key)}.json`;
  const description = position ? `${position.line}:${position.column} · ${reason}` : reason;
  return { label, description, spoken: localize("{0}, broken, cannot be read: {1}", label, reason) };
}

/** A group, or a page of one that is too long to be shown at once. */
export function createGroupNode(
  group: Group,
  options: Expander & { readonly parent: CallNode; readonly section: Section },
): CallNode {
  const { parent, isOpen, children, section } = options;
  const count = group.rows.length;
  const id = `${parent.id}/${group.id}`;
  return createBranchNode(
    {
      id,
      label: group.label,
      description: formatCount(count),
      spoken: joinList([
        (group.test && formatTestTitle(group.test)) || group.label,
        localizeCount(count, "{0} recording", "{0} recordings"),
      ]),
      context: words("group", ...SECTIONS[section].context, group.kind),
      isOpen: isOpen(id),
      parent,
      subject: { kind: "group", group },
    },
    children,
  );
}

/** Whether a line is open, and its children. */
interface Expander {
  readonly isOpen: (id: string) => boolean;
  readonly children: (self: CallNode) => Promise<readonly CallNode[]>;
}

interface SectionTexts {
  readonly label: string;
  readonly count: (rows: number) => string;
  /** Its words in `viewItem`. Recordings of failed tests are also new. */
  readonly context: readonly string[];
}

const SECTIONS: Record<Section, SectionTexts> = {
  failures: {
    label: localize("Failed"),
    count: (rows) => localizeCount(rows, "{0} call or test", "{0} calls or tests"),
    context: ["findings", "failures"],
  },
  missing: {
    label: localize("Missing"),
    count: (rows) => localizeCount(rows, "{0} missing call", "{0} missing calls"),
    context: ["findings", "missing"],
  },
  "made-up": {
    label: localize("Made up"),
    count: (rows) => localizeCount(rows, "{0} made-up reply", "{0} made-up replies"),
    context: ["findings", "made-up"],
  },
  new: {
    label: localize("New"),
    count: (rows) => localizeCount(rows, "{0} new recording", "{0} new recordings"),
    context: ["new"],
  },
  failed: {
    label: localize("New, from failed tests"),
    count: (rows) => localizeCount(rows, "{0} new recording", "{0} new recordings"),
    context: ["new", "failed"],
  },
  recordings: {
    label: localize("Recordings"),
    count: (rows) => localizeCount(rows, "{0} recording", "{0} recordings"),
    context: ["recordings"],
  },
};

export function createSectionNode(
  section: Section,
  options: Expander & {
    readonly rows: readonly CallRow[];
    /** The number of rows without the filter. */
    readonly total: number;
    /** Distinguishes the ids of trees with different open lines. */
    readonly prefix: string;
  },
): CallNode {
  const { rows, total, prefix, isOpen, children } = options;
  const { label, count, context } = SECTIONS[section];
  const shown =
    rows.length === total
      ? formatCount(total)
      : localize("{0} of {1}", formatCount(rows.length), formatCount(total));
  const id = `${prefix}${section}`;
  return createBranchNode(
    {
      id,
      label,
      description: shown,
      spoken: joinList([label, ...(rows.length === total ? [] : [shown]), count(total)]),
      // An empty section has nothing to accept or to dismiss.
      context: words(
        "section",
        rows.length === 0 && "empty",
        ...context,
        rows.some((row) => row.kind === "finding" && isRuled(row.finding)) && "rules",
      ),
      isOpen: isOpen(id), // also without rows, so that the first one is visible at once
      subject: { kind: "section", section, rows },
    },
    children,
  );
}

/** A line above MetaGPT's caches that does something when clicked. */
function noticeNode(
  command: CommandId | "workbench.action.terminal.new",
  { id, label, description }: Pick<CallNode, "id" | "label" | "description">,
): CallNode {
  return createLeafNode({
    id,
    label,
    description,
    spoken: `${label}. ${description}`,
    icon: "circle-slash",
    context: "notice",
    subject: { kind: "notice", command },
  });
}

export const createOffNode = (): CallNode =>
  noticeNode(COMMANDS.turnOn, {
    id: "off",
    label: localize("Tapedeck is off — Turn On"),
    description: localize("MetaGPT's tests call the provider with your key"),
  });

/** `command`: a command that reported nothing. Without the hooks, MetaGPT's switch keeps the value of its terminal. */
export const createUnhookedNode = (command: string): CallNode =>
  noticeNode("workbench.action.terminal.new", {
    id: "unhooked",
    label: localize("No report from {0} — Open New Terminal", shorten(command, 40)),
    description: localize(
      "Its terminal was opened before Tapedeck was turned on, so MetaGPT's switch does not follow the mode",
    ),
  });

function words(...all: readonly (string | false | undefined)[]): string {
  return all.filter((word) => typeof word === "string").join(" ");
}
