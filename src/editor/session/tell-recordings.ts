import * as path from "node:path";
import * as vscode from "vscode";
import type { Notice } from "../../deck/deck.ts";
import { sayWarning, showDifference } from "../window/messages.ts";
import type { Log } from "../window/log.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { createUnwritableWatch, type UnwritableWatch } from "./unwritable-model.ts";

/** Says that a recording was edited while its call was made anew, and shows the two texts beside each other. */
export async function tellEdited({ message, compare }: Notice): Promise<void> {
  if (compare === undefined) return;
  const show = "Compare";
  if ((await sayWarning(message, show)) !== show) return;
  const [edited, newer] = [vscode.Uri.file(compare.edited), vscode.Uri.file(compare.newer)];
  const title = `${path.basename(compare.edited)}: edited ↔ new answer`;
  await showDifference(edited, newer, title);
}

/** Says by a message that answers cannot be kept: the log alone is read by nobody while tests pass. */
export function tellUnwritable(log: Log): UnwritableWatch {
  return createUnwritableWatch({ say: (text) => void say(text, log), now: () => performance.now() });
}

async function say(text: string, log: Log): Promise<void> {
  const [showLog, openSetting] = ["Show Log", "Open Setting"];
  const chosen = await sayWarning(text, showLog, openSetting);
  if (chosen === showLog) log.show();
  if (chosen === openSetting)
    await vscode.commands.executeCommand("workbench.action.openSettings", SETTINGS.folder.key);
}
