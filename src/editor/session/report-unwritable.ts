import { joinSentences, localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { sayWarning } from "../window/messages.ts";
import type { Log } from "../window/log.ts";
import { getErrorCode } from "../../storage/folder/failures.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { type TapedeckError, explain } from "../../core/base/errors.ts";

/** Reports answers that could not be recorded in a message, because few people read the log while tests pass. */
export function reportUnwritable(log: Log) {
  const reported = new Set<string>();
  return {
    failed(reason: TapedeckError): void {
      // The system's message may contain a file name that differs each time.
      const name = getErrorCode(reason.cause) ?? reason.message;
      if (reported.has(name)) return;
      reported.add(name);
      const what = localize("Calls get their responses, but the responses cannot be recorded.");
      void warnUnwritable(joinSentences(what, explain(reason)), log);
    },
    /** An answer was recorded: a later failure is reported again. */
    recorded: (): void => reported.clear(),
  };
}

async function warnUnwritable(text: string, log: Log): Promise<void> {
  const [showLog, openSetting] = [localize("Show Log"), localize("Open Setting")];
  const chosen = await sayWarning(text, showLog, openSetting);
  if (chosen === showLog) log.show();
  if (chosen === openSetting)
    await vscode.commands.executeCommand("workbench.action.openSettings", SETTINGS.folder.key);
}
