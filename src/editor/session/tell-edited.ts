import * as path from "node:path";
import * as vscode from "vscode";
import type { Notice } from "../../deck/deck.ts";
import { sayWarning, showDifference } from "../window/messages.ts";

/** Says that a recording was edited while its call was made anew, and shows the two texts beside each other. */
export async function tellEdited({ message, compare }: Notice): Promise<void> {
  if (compare === undefined) return;
  const show = "Compare";
  if ((await sayWarning(message, show)) !== show) return;
  const [edited, newer] = [vscode.Uri.file(compare.edited), vscode.Uri.file(compare.newer)];
  const title = `${path.basename(compare.edited)}: edited ↔ new answer`;
  await showDifference(edited, newer, title);
}
