import { localize, joinSentences } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { explain, isTapedeckError, type TapedeckError } from "../../core/base/errors.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { COMMANDS } from "../window/ids.ts";
import { showError, showWarning } from "../window/messages.ts";
import { getErrorCode } from "../../storage/folder/failures.ts";

/** A button below a failure: the command that helps, with its title. */
export interface FailureButton {
  readonly title: string;
  readonly command: string;
  readonly arguments: readonly unknown[];
}

interface FailureDisplay {
  /** The text to show; by default, that of the error. */
  readonly text?: string;
  readonly show?: typeof showError;
}

/** Adds the button that helps to an error. `showFailure` shows it. */
export function offerButton<E extends Error>(error: E, button: FailureButton): E {
  return Object.assign(error, { [BUTTON]: button });
}

const BUTTON = Symbol("button");

/** Shows a failure with the buttons that help: the offered one, the setting that the text names, and the log. */
export async function showFailure(
  error: unknown,
  { text = explain(error), show = showError }: FailureDisplay = {},
): Promise<void> {
  const buttons = listButtons(error, text);
  const chosen = await show(text, ...buttons.map(({ title }) => title));
  const button = buttons.find(({ title }) => title === chosen);
  if (button) await vscode.commands.executeCommand(button.command, ...button.arguments);
}

function listButtons(error: unknown, text: string): readonly FailureButton[] {
  const named = Object.values(SETTINGS).find(({ key }) => text.includes(key));
  const openSettings = "workbench.action.openSettings";
  return [
    ...(error instanceof Error && BUTTON in error ? [error[BUTTON] as FailureButton] : []),
    ...(named ? [{ title: localize("Open Setting"), command: openSettings, arguments: [named.key] }] : []),
    // Messages about wrong usage are complete: the log adds nothing.
    ...(isTapedeckError(error) && error.code === "tapedeck_usage"
      ? []
      : [{ title: localize("Show Log"), command: COMMANDS.showLog, arguments: [] }]),
  ];
}

/** Reports answers that could not be recorded in a message, because few people read the log while tests pass. */
export function reportUnwritable() {
  const reported = new Set<string>();
  return {
    failed(reason: TapedeckError): void {
      // The system's message may contain a file name that differs each time.
      const name = getErrorCode(reason.cause) ?? reason.message;
      if (reported.has(name)) return;
      reported.add(name);
      const what = localize("Calls get their responses, but the responses cannot be recorded.");
      void showFailure(reason, { text: joinSentences(what, explain(reason)), show: showWarning });
    },
    /** An answer was recorded: a later failure is reported again. */
    recorded: (): void => reported.clear(),
  };
}
