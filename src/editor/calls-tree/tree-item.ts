import * as vscode from "vscode";
import type { Position } from "../../core/base/errors.ts";
import type { RowState } from "../../core/view/row.ts";
import { isMissingCall } from "../findings/findings-model.ts";
import { addressArguments } from "../window/addressed-model.ts";
import { positionOf } from "../window/problem.ts";
import type { ViewFolder } from "./calls-model.ts";
import type { DocumentSubject } from "../documents/document-uri-model.ts";
import { callUri, documentUri, fileUri, testUri } from "../documents/uris.ts";
import { visibleLine } from "../../core/base/visible.ts";
import type { CallNode } from "../calls/call-node-model.ts";

const EXPANSION = {
  never: vscode.TreeItemCollapsibleState.None,
  closed: vscode.TreeItemCollapsibleState.Collapsed,
  open: vscode.TreeItemCollapsibleState.Expanded,
};

const COLOURS: Record<RowState, string | undefined> = {
  recorded: undefined,
  new: "gitDecoration.untrackedResourceForeground",
  missing: "list.warningForeground",
  "made-up": "charts.purple",
  stale: "list.deemphasizedForeground",
  broken: "list.errorForeground",
};

type CallOwner = Pick<ViewFolder, "session" | "index" | "documents">;

/** `isOpen`: what a person did to the line, where they did something. */
export function itemFromNode(
  node: CallNode,
  { own, isOpen }: { readonly own: CallOwner | undefined; readonly isOpen: boolean | undefined },
): vscode.TreeItem {
  const chosen = isOpen === undefined ? node.expand : isOpen ? "open" : "closed";
  const item = new vscode.TreeItem(
    visibleLine(node.label),
    EXPANSION[node.expand === "never" ? "never" : chosen],
  );
  item.id = node.id;
  item.description = visibleLine(node.description);
  item.contextValue = node.context;
  item.accessibilityInformation = { label: visibleLine(node.spoken) };
  const icon = iconOf(node);
  if (icon) item.iconPath = icon;
  const command = own && commandOf(node, own);
  if (command) item.command = command;
  return item;
}

function iconOf({ icon, subject }: CallNode): vscode.ThemeIcon | undefined {
  if (icon === undefined) return undefined;
  const state = stateOf(subject);
  const colour = state && COLOURS[state];
  return colour === undefined
    ? new vscode.ThemeIcon(icon)
    : new vscode.ThemeIcon(icon, new vscode.ThemeColor(colour));
}

function stateOf(subject: CallNode["subject"]): RowState | undefined {
  if (subject.kind === "recording") return subject.state;
  if (subject.kind === "broken-cache") return "broken";
  if (subject.kind !== "finding" || subject.finding.kind === "faulty") return undefined;
  const { kind } = subject.finding;
  if (kind === "made-up") return kind;
  return kind === "missing" || kind === "bypassed" ? "missing" : "broken";
}

/** The editor's own command, so that one click previews, two keep, and Alt opens to the side, as with files. */
function commandOf(node: CallNode, own: CallOwner): vscode.Command | undefined {
  if (node.subject.kind === "notice") {
    const { command } = node.subject;
    const args = command.startsWith("tapedeck.") ? addressArguments([], own.session.tag) : [];
    return { command, title: node.label, arguments: args };
  }
  const opened = openedBy(node, own);
  return opened && { command: "vscode.open", title: "Open", arguments: [...opened] };
}

type Opened = readonly [uri: vscode.Uri, options?: vscode.TextDocumentShowOptions];

/** Undefined for a line that only holds others. */
function openedBy({ subject, label }: CallNode, own: CallOwner): Opened | undefined {
  const { session } = own;
  const readable = (of: DocumentSubject["of"]): Opened => [documentUri(session, { of, part: "all" }, label)];
  if (subject.kind === "cached") return readable({ cached: subject.ref });
  if (subject.kind === "finding") {
    const { finding } = subject;
    if (isMissingCall(finding)) return [callUri({ finding: finding.id }, "all", own)];
    if (finding.kind !== "faulty") return readable({ finding: finding.id });
    const uri = finding.test && testUri(session, finding.test.file);
    const line = finding.test?.line;
    return uri && at(uri, line === undefined ? undefined : { line, column: 1 });
  }
  if (subject.kind === "stray") return [fileUri(session, subject.stray.path)];
  if (subject.kind === "broken-cache")
    return at(vscode.Uri.joinPath(session.folder.uri, subject.file), subject.position);
  if (subject.kind !== "recording") return undefined;
  const { address, state, position } = subject;
  return state === "broken"
    ? at(fileUri(session, address.entry), position)
    : [callUri({ entry: address.entry }, "all", own)];
}

function at(uri: vscode.Uri, position: Pick<Position, "line" | "column"> | undefined): Opened {
  if (position === undefined) return [uri];
  const place = positionOf(position);
  return [uri, { selection: new vscode.Range(place, place) }];
}
