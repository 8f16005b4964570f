import * as path from "node:path";
import * as vscode from "vscode";
import type { Notice } from "../../deck/deck.ts";
import { sayWarning, showDifference } from "../window/messages.ts";
import type { Log } from "../window/log.ts";
import { codeOf } from "../../storage/folder/failures.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { type TapedeckError, explain } from "../../core/base/errors.ts";

/** Says that a recording was edited while its call was made anew, and shows the two texts beside each other. */
export async function tellEdited({ message, compare }: Notice): Promise<void> {
  if (compare === undefined) return;
  const show = "Compare";
  if ((await sayWarning(message, show)) !== show) return;
  const [edited, newer] = [vscode.Uri.file(compare.edited), vscode.Uri.file(compare.newer)];
  const title = `${path.basename(compare.edited)}: edited ↔ new answer`;
  await showDifference(edited, newer, title);
}

/** Reports answers that could not be recorded in a message, because few people read the log while tests pass. */
export function reportUnwritable(log: Log) {
  const reported = new Set<string>();
  return {
    failed(reason: TapedeckError): void {
      // The system's message may contain a file name that differs each time.
      const name = codeOf(reason.cause) ?? reason.message;
      if (reported.has(name)) return;
      reported.add(name);
      void say(`Answers reach their callers, but are not recorded. ${explain(reason)}`, log);
    },
    /** An answer was recorded: a later failure is reported again. */
    recorded: (): void => reported.clear(),
  };
}

async function say(text: string, log: Log): Promise<void> {
  const [showLog, openSetting] = ["Show Log", "Open Setting"];
  const chosen = await sayWarning(text, showLog, openSetting);
  if (chosen === showLog) log.show();
  if (chosen === openSetting)
    await vscode.commands.executeCommand("workbench.action.openSettings", SETTINGS.folder.key);
}
