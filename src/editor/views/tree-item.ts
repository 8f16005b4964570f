import * as vscode from "vscode";
import { explain, type Position } from "../../core/errors.ts";
import type { Message } from "../../core/protocol/protocol.ts";
import { testPlace, testTitle } from "../../core/view/recording-document.ts";
import type { RowState } from "../../core/view/row.ts";
import { unusedText } from "../../storage/check/unused-text.ts";
import { editText } from "../edits/stale-edit-model.ts";
import type { Session } from "../session.ts";
import type { CallNode } from "./call-nodes-model.ts";
import { documentUri } from "./document-uri.ts";
import { fileUri } from "./recording-file.ts";
import type { RecordingIndex } from "./recording-index-model.ts";

const EXPANSION = {
  never: vscode.TreeItemCollapsibleState.None,
  closed: vscode.TreeItemCollapsibleState.Collapsed,
  open: vscode.TreeItemCollapsibleState.Expanded,
};

const COLOURS: Record<RowState, string | undefined> = {
  recorded: undefined,
  new: "gitDecoration.untrackedResourceForeground",
  missing: "list.warningForeground",
  stale: "list.deemphasizedForeground",
  broken: "list.errorForeground",
};

/** `isOpen`: what a person did to the line, where they did something. */
export function itemFromNode(
  node: CallNode,
  { session, isOpen }: { readonly session: Session | undefined; readonly isOpen: boolean | undefined },
): vscode.TreeItem {
  const chosen = isOpen === undefined ? node.expand : isOpen ? "open" : "closed";
  const item = new vscode.TreeItem(node.label, EXPANSION[node.expand === "never" ? "never" : chosen]);
  item.id = node.id;
  item.description = node.description;
  item.contextValue = node.context;
  item.accessibilityInformation = { label: node.spoken };
  const icon = iconOf(node);
  if (icon) item.iconPath = icon;
  const command = session && commandOf(node, session);
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
  return subject.kind === "missing" ? "missing" : undefined;
}

/** The editor's own command, so that one click previews, two keep, and Alt opens to the side, as with files. */
function commandOf({ subject, label }: CallNode, session: Session): vscode.Command | undefined {
  if (subject.kind === "missing") {
    const uri = documentUri(session, { of: { missing: subject.call.id }, part: "all" }, label);
    return { command: "vscode.open", title: "Open", arguments: [uri] };
  }
  if (subject.kind === "stray")
    return { command: "vscode.open", title: "Open", arguments: [fileUri(session, subject.stray.path)] };
  if (subject.kind === "cached") {
    const uri = documentUri(session, { of: { cached: subject.ref }, part: "all" }, label);
    return { command: "vscode.open", title: "Open", arguments: [uri] };
  }
  if (subject.kind === "broken-cache")
    return openAt(vscode.Uri.joinPath(session.folder.uri, subject.file), subject.position);
  if (subject.kind !== "recording") return undefined;
  const { address, state, position } = subject;
  if (state !== "broken") {
    const uri = documentUri(session, { of: { entry: address.entry }, part: "all" }, label);
    return { command: "vscode.open", title: "Open", arguments: [uri] };
  }
  return openAt(fileUri(session, address.entry), position);
}

function openAt(uri: vscode.Uri, position: Position | undefined): vscode.Command {
  const place = position && new vscode.Position(position.line - 1, position.column - 1);
  const options = place ? [{ selection: new vscode.Range(place, place) }] : [];
  return { command: "vscode.open", title: "Open", arguments: [uri, ...options] };
}

/** Made when somebody points at a line, because it reads the recording. */
export async function tooltipOf(
  { subject, description, spoken }: CallNode,
  { session, index }: { readonly session: Session; readonly index: RecordingIndex },
): Promise<vscode.MarkdownString | string> {
  if (subject.kind === "missing") {
    const { miss, test } = subject.call;
    const differences = miss.nearest?.differences.map(({ text }) => text) ?? [];
    return [
      spoken,
      ...(test ? [`${testPlace(test)}  ${testTitle(test)}`] : []),
      ...differences.slice(0, 5),
    ].join("\n");
  }
  if (subject.kind === "cached") return quoted(subject.asked, subject.answer, [description]);
  if (subject.kind !== "recording") return spoken;
  const { entry } = subject.address;
  try {
    const { conversation, projection } = await index.read(entry);
    const asked = textOf(conversation.messages.findLast(({ role }) => role === "user"));
    const tests = session.state.testsOf(entry).map((test) => `${testPlace(test)}  ${testTitle(test)}`);
    const edit = session.state.staleByEdit(entry);
    const unused = session.state.whyUnused(entry);
    const remarks = [...(edit ? [editText(edit)] : []), ...(unused ? [unusedText(unused)] : [])];
    return quoted(asked, textOf(projection.messages[0]), [description, ...remarks, ...tests, entry]);
  } catch (error) {
    return explain(error);
  }
}

function quoted(asked: string, answered: string, lines: readonly string[]): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  if (asked !== "") tooltip.appendCodeblock(shortened(asked), "plaintext");
  tooltip.appendCodeblock(shortened(answered), "plaintext");
  for (const line of lines) tooltip.appendText(`${line}\n`);
  return tooltip;
}

function textOf(message: Message | undefined): string {
  const texts = message?.parts.map((part) => {
    if (part.type === "tool-call") return `${part.name}(${part.arguments})`;
    return part.type === "text" || part.type === "tool-result" ? part.text : "";
  });
  return texts?.filter((text) => text !== "").join("\n") ?? "";
}

const TOOLTIP_CHARACTERS = 400;

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length <= TOOLTIP_CHARACTERS
    ? text
    : `${characters.slice(0, TOOLTIP_CHARACTERS).join("")}…`;
}
