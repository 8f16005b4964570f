import { joinList, localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { type Position, explain } from "../../core/base/errors.ts";
import type { RowState } from "../../core/view/row.ts";
import { isMissingCall, listMissingCalls } from "../findings/findings-model.ts";
import { CONTEXTS, createArguments } from "../window/ids.ts";
import { getPosition } from "../window/problem.ts";
import type { TreeChoices, ViewFolder } from "./calls-model.ts";
import type { DocumentSubject } from "../documents/document-uri-model.ts";
import { createCallUri, createDocumentUri, createFileUri } from "../documents/uris.ts";
import { cutText, makeVisible, makeVisibleLine } from "../../core/base/visible.ts";
import type { CallNode } from "../calls/call-node-model.ts";
import { describeFinding } from "../../core/view/finding.ts";
import { formatMessage } from "../../core/view/message-text.ts";
import { formatTestPlace, formatTestTitle } from "../../core/call/test-names.ts";
import { describeUnused } from "../../storage/check/finding-texts.ts";
import type { Session } from "../session/session.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import { removeMarkup, removeMarkupFromLine } from "../window/messages-model.ts";
import { getCachedEntry } from "../../core/cassette/cached-ref.ts";
import { formatCost } from "../../core/call/spending.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import { parseFilter, isFiltering } from "../calls/call-filter-model.ts";
import { localizeCount } from "../../core/base/plural.ts";
import { type TreeFacts, createTreeTexts } from "./tree-text-model.ts";

const EXPANSION = {
  never: vscode.TreeItemCollapsibleState.None,
  closed: vscode.TreeItemCollapsibleState.Collapsed,
  open: vscode.TreeItemCollapsibleState.Expanded,
};

const COLORS: Record<RowState, string | undefined> = {
  recorded: undefined,
  new: "gitDecoration.untrackedResourceForeground",
  missing: "list.warningForeground",
  "made-up": "charts.purple",
  stale: "list.deemphasizedForeground",
  broken: "list.errorForeground",
};

type CallOwner = Pick<ViewFolder, "session" | "index" | "documents">;

/** `isOpen`: whether a person opened or closed the line; undefined if they did neither. */
export function createTreeItem(
  node: CallNode,
  { own, isOpen }: { readonly own: CallOwner | undefined; readonly isOpen: boolean | undefined },
): vscode.TreeItem {
  const chosen = isOpen === undefined ? node.expand : isOpen ? "open" : "closed";
  const item = new vscode.TreeItem(
    makeVisibleLine(node.label),
    EXPANSION[node.expand === "never" ? "never" : chosen],
  );
  item.id = node.id;
  item.description = makeVisibleLine(node.description);
  item.contextValue = node.context;
  item.accessibilityInformation = { label: makeVisibleLine(node.spoken) };
  const icon = iconOf(node);
  if (icon) item.iconPath = icon;
  const command = own && commandOf(node, own);
  if (command) item.command = command;
  return item;
}

function iconOf({ icon, subject }: CallNode): vscode.ThemeIcon | undefined {
  if (icon === undefined) return undefined;
  const state = stateOf(subject);
  const color = state && COLORS[state];
  return color === undefined
    ? new vscode.ThemeIcon(icon)
    : new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
}

function stateOf(subject: CallNode["subject"]): RowState | undefined {
  if (subject.kind === "recording") return subject.state;
  if (subject.kind === "broken-cache") return "broken";
  if (subject.kind !== "finding") return undefined;
  const { kind } = subject.finding;
  if (kind === "made-up") return kind;
  return kind === "failed" ? "broken" : "missing";
}

/** Uses the editor's own command, so that one click previews, two clicks keep, and Alt opens to the side, as with files. */
function commandOf(node: CallNode, own: CallOwner): vscode.Command | undefined {
  if (node.subject.kind === "notice") {
    const { command } = node.subject;
    return { command, title: node.label, arguments: createArguments(command, [], own.session.tag) };
  }
  const opened = openedBy(node, own);
  return opened && { command: "vscode.open", title: localize("Open"), arguments: [...opened] };
}

type OpenTarget = readonly [uri: vscode.Uri, options?: vscode.TextDocumentShowOptions];

/** Undefined for a line that only contains others. */
function openedBy({ subject, label }: CallNode, own: CallOwner): OpenTarget | undefined {
  const { session } = own;
  const readable = (of: DocumentSubject["of"]): OpenTarget => [
    createDocumentUri(session, { of, part: "all" }, label),
  ];
  if (subject.kind === "cached") return readable({ entry: getCachedEntry(subject.ref) });
  if (subject.kind === "finding") {
    const { finding } = subject;
    if (isMissingCall(finding)) return [createCallUri({ finding: finding.id }, "all", own)];
    return readable({ finding: finding.id });
  }
  if (subject.kind === "broken-cache")
    return at(vscode.Uri.joinPath(session.folder.uri, subject.file), subject.position);
  if (subject.kind !== "recording") return undefined;
  const { address, state, position } = subject;
  return state === "broken"
    ? at(createFileUri(session, address.entry), position)
    : [createCallUri({ entry: address.entry }, "all", own)];
}

function at(uri: vscode.Uri, position: Pick<Position, "line" | "column"> | undefined): OpenTarget {
  if (position === undefined) return [uri];
  const place = getPosition(position);
  return [uri, { selection: new vscode.Range(place, place) }];
}

interface TooltipContext {
  readonly session: Session;
  readonly index: RecordingIndex;
}

/** Created when the pointer is on a line, because it reads the recording. */
export async function createTooltip(
  node: CallNode,
  own: TooltipContext,
): Promise<vscode.MarkdownString | string> {
  const tooltip = await tooltipText(node, own);
  return typeof tooltip === "string" ? removeMarkup(tooltip) : tooltip;
}

async function tooltipText(
  { subject, description, spoken }: CallNode,
  { session, index }: TooltipContext,
): Promise<vscode.MarkdownString | string> {
  if (subject.kind === "finding") {
    const { finding } = subject;
    const { test } = finding;
    if (isMissingCall(finding) && finding.madeUp) {
      const { madeUp } = finding;
      const { conversation, projection } = session.deck.describeMadeUp(madeUp);
      const question = formatMessage(conversation.messages.findLast(({ role }) => role === "user"));
      const place = test ? [`${formatTestPlace(test)}  ${formatTestTitle(test)}`] : [];
      const by = localize("Made up by {0}, not recorded.", madeUp.by);
      return quoteCall(question, formatMessage(projection.messages[0]), [by, ...place]);
    }
    if (!isMissingCall(finding)) return describeFinding(finding);
    return [
      test ? `${formatTestPlace(test)}  ${formatTestTitle(test)}` : spoken,
      describeFinding(finding),
    ].join("\n");
  }
  if (subject.kind === "cached") return quoteCall(subject.question, subject.answer, [description]);
  if (subject.kind !== "recording") return spoken;
  const { entry } = subject.address;
  try {
    const { conversation, projection, cost } = await index.read(entry);
    const question = formatMessage(conversation.messages.findLast(({ role }) => role === "user"));
    const tests = session.state.usage
      .testsOf(entry)
      .map((test) => `${formatTestPlace(test)}  ${formatTestTitle(test)}`);
    const unused = session.state.usage.whyUnused(entry);
    const remarks = unused ? [describeUnused(unused)] : [];
    const facts = cost === undefined ? description : `${description} · ${formatCost(cost)}`;
    return quoteCall(question, formatMessage(projection.messages[0]), [facts, ...remarks, ...tests, entry]);
  } catch (error) {
    return explain(error);
  }
}

function quoteCall(question: string, answer: string, lines: readonly string[]): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  if (question !== "")
    tooltip.appendCodeblock(makeVisible(cutText(question, TOOLTIP_CHARACTERS)), "plaintext");
  tooltip.appendCodeblock(makeVisible(cutText(answer, TOOLTIP_CHARACTERS)), "plaintext");
  for (const line of lines) tooltip.appendText(`${removeMarkupFromLine(line)}\n`);
  return tooltip;
}

const TOOLTIP_CHARACTERS = 400;

/** Result of the last read of the lines. */
interface TreeContents {
  /** Known once the lines were looked for; false until then. */
  readonly isEmpty: boolean;
  /** The reason, if the lines cannot be shown. */
  readonly failure: string | undefined;
}

/** The texts beside the tree's title and above its lines. */
export function describeTree(
  tree: vscode.TreeView<CallNode>,
  { sessions, shown }: { readonly sessions: Sessions<ViewFolder>; readonly shown: TreeChoices },
  { isEmpty, failure }: TreeContents,
): void {
  const missing = total(sessions, ({ session }) => listMissingCalls(session.state.findings).length);
  const recordings = total(sessions, ({ index }) => index.progress.total);
  const isFiltered = isFiltering(parseFilter(shown.filterText));
  const texts = createTreeTexts({
    isEmpty,
    failure,
    filter: isFiltered ? shown.filterText : undefined,
    reading: readingOf(sessions),
    pending: total(sessions, ({ index }) => index.searches),
    unreached: unreachedIn(sessions),
    requests: total(sessions, ({ session }) => session.state.requests),
  });
  const broken = total(sessions, ({ index }) => index.broken);
  tree.badge = badgeOf(missing, broken);
  // The editor treats each assignment as a change and then draws changed lines later.
  if (tree.description !== texts.description) tree.description = texts.description;
  if (tree.message !== texts.message) tree.message = texts.message;
  void vscode.commands.executeCommand("setContext", CONTEXTS.empty, isEmpty);
  void vscode.commands.executeCommand("setContext", CONTEXTS.filtered, isFiltered);
  void vscode.commands.executeCommand("setContext", CONTEXTS.hasRecordings, recordings > 0);
}

/** Findings that make tests fail. */
function badgeOf(missing: number, broken: number): vscode.ViewBadge | undefined {
  if (missing + broken === 0) return undefined;
  const parts = [
    ...(missing > 0 ? [localizeCount(missing, "{0} missing call", "{0} missing calls")] : []),
    ...(broken > 0 ? [localizeCount(broken, "{0} broken recording", "{0} broken recordings")] : []),
  ];
  return { value: missing + broken, tooltip: joinList(parts) };
}

function total(sessions: Sessions<ViewFolder>, count: (one: ViewFolder) => number): number {
  return sessions.all.reduce((sum, one) => sum + count(one), 0);
}

function readingOf(sessions: Sessions<ViewFolder>): { readonly read: number; readonly total: number } {
  const progress = sessions.all.map(({ index }) => index.progress).filter(({ reading }) => reading);
  return {
    read: progress.reduce((sum, one) => sum + one.read, 0),
    total: progress.reduce((sum, one) => sum + one.total, 0),
  };
}

/** Undefined if a finding has a row, so that it is not repeated. */
function unreachedIn(sessions: Sessions<ViewFolder>): TreeFacts["unreached"] {
  const states = sessions.all.map(({ session }) => session.state);
  const silent = states.find(({ unreached }) => unreached !== undefined);
  if (silent?.unreached === undefined || silent.findings.some(({ kind }) => kind === "unreached"))
    return undefined;
  return { what: silent.unreached, why: silent.unreachedWhy, setting: SETTINGS.environmentOfExtensions.key };
}
