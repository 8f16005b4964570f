import { localize } from "../../core/base/localize.ts";
import { existsSync } from "node:fs";
import { access, appendFile, constants } from "node:fs/promises";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { CONFIG_NAME } from "../../core/config/config.ts";
import { type TapedeckError, createTapedeckError } from "../../core/base/errors.ts";
import { describeThrown } from "../../core/base/thrown-text.ts";
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
  if (!(await vscode.workspace.applyEdit(edit))) throw await findObstacle(uri.fsPath);
  const changed = await vscode.workspace.openTextDocument(uri);
  if (isShown) await vscode.window.showTextDocument(changed, { preview: true });
  // If the file cannot be saved, VS Code shows the reason and keeps the change in the editor.
  await changed.save();
  if (changed.isDirty && !isShown) throw cannotChange(NOT_SAVED);
  await deck.project.reload();
}

const NOT_SAVED = localize("VS Code did not save it");

/** Returns why the file cannot be written. Only the system reports the reason. */
function findObstacle(path: string): Promise<Error> {
  const attempt = existsSync(path) ? appendFile(path, "") : access(dirname(path), constants.W_OK);
  return attempt.then(() => cannotChange(NOT_SAVED), cannotChange);
}

function cannotChange(reason: unknown): TapedeckError {
  const why = typeof reason === "string" ? reason : describeThrown(reason);
  return createTapedeckError(
    "tapedeck_cassette",
    localize("{0} could not be changed: {1}.", CONFIG_NAME, why),
    {
      hint: localize("Check whether the file and its folder can be written, then try again."),
      cause: reason,
    },
  );
}

async function openedAt(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  return vscode.workspace.openTextDocument(uri).then(
    (opened) => opened,
    () => undefined,
  );
}
