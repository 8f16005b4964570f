import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { CONFIG_NAME } from "../../core/config/config.ts";
import { createTapedeckError } from "../../core/base/errors.ts";
import type { Session } from "../session/session.ts";

/**
 * Changes `tapedeck.jsonc` through the editor's document, so that undo works and unsaved changes are kept.
 * `isShown`: whether the file is shown. @throws TapedeckError if it cannot be changed
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
    throw createTapedeckError("tapedeck_cassette", localize("{0} could not be changed.", CONFIG_NAME), {
      hint: localize("Open the file and edit it."),
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
