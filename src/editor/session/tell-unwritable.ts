import * as vscode from "vscode";
import type { Log } from "../window/log.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { createUnwritableWatch, type UnwritableWatch } from "./unwritable-model.ts";
import { sayWarning } from "../window/messages.ts";

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
