import { COMMANDS, type CommandId } from "../window/ids.ts";
import { type RowState, callLabel, rowText, shorten } from "../../core/view/row.ts";
import { testTitle, isRunByTests } from "../../core/call/test-names.ts";
import { shortKey } from "../../core/cassette/address.ts";
import { type TurnLine, callsIn } from "../../core/view/conversation/outline.ts";
import type { CallFacts, ReadFacts } from "../calls/call-facts-model.ts";
import type { Rows } from "./call-rows-model.ts";
import {
  type CallNode,
  type CallRow,
  type Group,
  type RecordingRow,
  type Section,
  branchNode,
  leafNode,
} from "../calls/call-node-model.ts";
import { countText, plural } from "../../core/base/plural.ts";
import type { RequestView } from "../../core/view/describe.ts";
import { findingText } from "../../core/view/finding.ts";
import { shortAge } from "../../core/base/age.ts";
import { type MissingCall, type OpenFinding, isMissingCall } from "../findings/findings-model.ts";

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
  /** As a turn of its test; alone where not said. */
  readonly line?: TurnLine<RecordingRow>;
}

/** `opening`: of a row with later turns below it. */
export function recordingNode(row: RecordingRow, options: RowOptions, opening?: Opening): CallNode {
  const { parent, rows, line } = options;
  const { address } = row;
  const facts = rows.facts(row);
  const state = rows.state(row);
  const text = facts?.kind === "read" ? readText(facts, row, options) : brokenText(facts, row);
  const hasTest = rows.tests(row).length > 0;
  const position = facts?.kind === "broken" ? facts.position : undefined;
  const below = callsIn(line?.below ?? []);
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
  return opening ? branchNode({ ...parts, isOpen: opening.isOpen(id) }, opening.children) : leafNode(parts);
}

type RowWords = Pick<CallNode, "label" | "description" | "spoken">;

function readText(facts: ReadFacts, row: RecordingRow, { now, rows, takes, line }: RowOptions): RowWords {
  const state = rows.state(row);
  const { label, adds, spoken: turn } = turnWords(facts, line);
  const remark = [
    ...(row.candidate?.replaces ? ["re-recorded"] : []),
    ...(rows.isTeams(row) ? ["from the team"] : []),
    ...(state === "stale" ? ["stale"] : []),
    ...adds,
  ];
  const text = rowText(
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
  /** What the user said in this turn, where the label does not say it. */
  readonly adds: readonly string[];
  /** The label for those who hear it. */
  readonly spoken: string;
}

function turnWords({ label, turn }: ReadFacts, line: TurnLine<RecordingRow> | undefined): TurnWords {
  if (line === undefined || line.named === "asked") return { label, adds: [], spoken: label };
  if (line.named === "both") {
    const both = `${label} → ${turn.answered}`;
    return { label: both, adds: [], spoken: `${label}, answered ${turn.answered}` };
  }
  const adds = turn.endsWithUser ? [label] : [];
  const spoken = [`turn ${line.number}`, ...adds.map((text) => `asked ${text}`), `answered ${turn.answered}`];
  return { label: `${line.number} ${turn.answered}`, adds, spoken: spoken.join(", ") };
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
      description: countText(count),
      spoken: `${(group.test && testTitle(group.test)) || group.label}, ${plural(count, "recording")}`,
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
  readonly units?: string;
  /** Its words in `viewItem`: what failed tests recorded is new as well. */
  readonly context: readonly string[];
}

const SECTIONS: Record<Section, SectionTexts> = {
  failures: {
    label: "Failed",
    unit: "call or test",
    units: "calls or tests",
    context: ["findings", "failures"],
  },
  faults: { label: "Run with faults", unit: "test", context: ["findings", "faults"] },
  missing: { label: "Missing", unit: "missing call", context: ["findings", "missing"] },
  "made-up": {
    label: "Made up",
    unit: "made-up reply",
    units: "made-up replies",
    context: ["findings", "made-up"],
  },
  new: { label: "New", unit: "new recording", context: ["new"] },
  failed: { label: "New, from failed tests", unit: "new recording", context: ["new", "failed"] },
  recordings: { label: "Recordings", unit: "recording", context: ["recordings"] },
};

export function sectionNode(
  section: Section,
  options: Opening & {
    readonly rows: readonly CallRow[];
    /** Without the filter. */
    readonly total: number;
    /** Sets the ids apart of trees that open differently. */
    readonly prefix: string;
  },
): CallNode {
  const { rows, total, prefix, isOpen, children } = options;
  const { label, unit, units } = SECTIONS[section];
  const shown = rows.length === total ? "" : `${countText(rows.length)} of `;
  const id = `${prefix}${section}`;
  return branchNode(
    {
      id,
      label,
      description: shown + countText(total),
      spoken: `${label}, ${shown}${plural(total, unit, units)}`,
      // Of an empty one there is nothing to accept or to dismiss.
      context: words("section", rows.length === 0 && "empty", ...SECTIONS[section].context),
      isOpen: isOpen(id), // also without rows: it is to show the first one at once
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
  return leafNode({
    id,
    label,
    description,
    spoken: `${label}. ${description}`,
    icon: "circle-slash",
    context: "notice",
    subject: { kind: "notice", command },
  });
}

export const offNode = (): CallNode =>
  noticeNode(COMMANDS.turnOn, {
    id: "off",
    label: "Tapedeck is off — Turn On",
    description: "MetaGPT's tests call the provider with your key",
  });

/** `command`: what ran and reported nothing. Without the hooks, MetaGPT's switch stays as its terminal has it. */
export const unhookedNode = (command: string): CallNode =>
  noticeNode("workbench.action.terminal.new", {
    id: "unhooked",
    label: `No report from ${shorten(command, 40)} — Open New Terminal`,
    description: "Its terminal is older than Tapedeck here, so MetaGPT's switch does not follow the mode",
  });

function words(...all: readonly (string | false | undefined)[]): string {
  return all.filter((word) => typeof word === "string").join(" ");
}

interface NodeOptions {
  readonly parent: CallNode;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Reads a missed request; undefined where it cannot be read. */
  readonly describe: (call: MissingCall) => RequestView | undefined;
  /** Whether a team's cache may have it. */
  readonly hasTeam: boolean;
}

/** The line of one finding. */
export function findingNode(finding: OpenFinding, options: NodeOptions): CallNode {
  const { parent } = options;
  const texts = isMissingCall(finding) ? missingWords(finding, options) : otherWords(finding, options);
  return leafNode({
    id: `${parent.id}/${finding.id}`,
    ...texts,
    icon: iconOf(finding),
    context: contextOf(finding, options.hasTeam),
    parent,
    subject: { kind: "finding", finding },
  });
}

type Words = Pick<CallNode, "label" | "description" | "spoken">;

function missingWords(call: MissingCall, { now, describe }: NodeOptions): Words {
  const { miss, test, at, count, madeUp } = call;
  const view = describe(call);
  const text = rowText(
    {
      label: view ? callLabel(view) : `"${miss.label}"`,
      state: call.kind,
      model: miss.model ?? miss.operation,
      test,
      at,
    },
    { now },
  );
  // Who made an answer up matters more than what is known of every call.
  const by = madeUp === undefined ? "" : `${madeUp.by} · `;
  const times = count > 1 ? ` · ${count} times` : "";
  return {
    label: text.label,
    description: by + text.description + times,
    spoken: `${text.spoken}${madeUp === undefined ? "" : `, by ${madeUp.by}`}${times}`,
  };
}

/** Maximum characters, so that a narrow view has room for the reason. The tooltip has the full text. */
const LABEL = 24;

function otherWords(finding: OpenFinding, { now }: NodeOptions): Words {
  const { kind, label, brief, why, provider, test, at, count } = finding;
  // Avoids repeating the status: many upstreams return no other reason.
  const cause = kind === "failed" && brief !== undefined && why.includes(brief) ? (provider ?? why) : why;
  const facts = [
    ...(kind === "faulty" && test ? [test.name.at(-1) ?? test.file] : []),
    ...(brief === undefined ? [] : [brief]),
    ...(kind === "faulty" ? [] : [cause, ...(test ? [testTitle(test) || test.file] : [])]),
    ...(count > 1 ? [`${count} times`] : []),
    shortAge(at, now),
  ];
  const title = kind === "unreached" ? (test?.name.at(-1) ?? label) : label;
  return {
    label: kind === "faulty" ? title : shorten(title, LABEL),
    description: facts.join(" · "),
    spoken:
      kind === "faulty"
        ? [label, ...facts].join(", ")
        : `${label}, ${findingText(finding).replaceAll("\n", " ")}`,
  };
}

function iconOf({ kind, label }: OpenFinding): string {
  if (kind === "missing") return "warning";
  if (kind === "made-up") return "beaker";
  if (kind === "bypassed") return "debug-disconnect";
  if (kind !== "faulty" || label.startsWith("failed")) return "error";
  return label.startsWith("passed") ? "pass" : "circle-slash";
}

/** `viewItem` in `when` clauses. What can be done about a missing call can be done about a made-up one, too. */
function contextOf(finding: OpenFinding, hasTeam: boolean): string {
  const { kind, test } = finding;
  const context = ["finding"];
  if (isMissingCall(finding)) {
    const { miss } = finding;
    context.push("missing");
    if (miss.cacheFile !== undefined) context.push("metagpt");
    if (miss.nearest !== undefined) context.push("nearest");
    if (kind === "made-up") context.push(kind);
    if (hasTeam && miss.cacheFile === undefined) context.push("team");
  } else context.push(kind === "faulty" ? "faulty" : "failure");
  if (test) context.push(isRunByTests(test) || !isMissingCall(finding) ? "test" : "script");
  return context.join(" ");
}
