import * as vscode from "vscode";
import { CONFIG_NAME } from "../../core/config/config.ts";
import { tapedeckError } from "../../core/base/errors.ts";
import type { Session } from "../session/session.ts";

/** The text of `tapedeck.jsonc` as the editor has it; empty where there is no such file. */
export async function projectText({ deck }: Session): Promise<string> {
  return (await openedAt(vscode.Uri.file(deck.project.path)))?.getText() ?? "";
}

/**
 * Changes `tapedeck.jsonc` through the editor's own document, so that undo takes it back and nothing unsaved is lost.
 * `isShown`: whether the person sees it. @throws TapedeckError where it cannot be changed
 */
export async function editProject(
  { deck }: Session,
  change: (text: string) => string,
  { isShown }: { readonly isShown: boolean },
): Promise<void> {
  const uri = vscode.Uri.file(deck.project.path);
  const document = await openedAt(uri);
  const text = document?.getText() ?? "";
  const after = change(text);
  const edit = new vscode.WorkspaceEdit();
  if (document === undefined) edit.createFile(uri, { contents: new TextEncoder().encode(after) });
  else
    edit.replace(uri, new vscode.Range(new vscode.Position(0, 0), document.positionAt(text.length)), after);
  if (!(await vscode.workspace.applyEdit(edit)))
    throw tapedeckError("tapedeck_cassette", `${CONFIG_NAME} could not be changed.`, {
      hint: "Open it and change it by hand.",
    });
  const changed = await vscode.workspace.openTextDocument(uri);
  if (isShown) await vscode.window.showTextDocument(changed, { preview: true });
  await changed.save();
  await deck.project.reload();
}

async function openedAt(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  return vscode.workspace.openTextDocument(uri).then(
    (opened) => opened,
    () => undefined,
  );
}
