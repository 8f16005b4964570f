import * as path from "node:path";
import * as vscode from "vscode";
import type { Notice } from "../../deck/deck.ts";

/** Says that a recording was edited while its call was made anew, and shows the two texts beside each other. */
export async function tellEdited({ message, compare }: Notice): Promise<void> {
  if (compare === undefined) return;
  const show = "Compare";
  if ((await vscode.window.showWarningMessage(message, show)) !== show) return;
  const [edited, newer] = [vscode.Uri.file(compare.edited), vscode.Uri.file(compare.newer)];
  const title = `${path.basename(compare.edited)}: edited ↔ new answer`;
  await vscode.commands.executeCommand("vscode.diff", edited, newer, title);
}
