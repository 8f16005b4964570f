import * as vscode from "vscode";
import { STATUS_ITEM } from "../window/ids.ts";
import { listMissingCalls } from "../findings/findings-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import { LINKED_COMMANDS, describeStatusBar } from "./status-bar-model.ts";

const BACKGROUNDS = {
  warning: "statusBarItem.warningBackground",
  error: "statusBarItem.errorBackground",
} as const;

/** Shows the status bar item in workspaces that use Tapedeck, and hides it in all others. */
export function createStatusBar(sessions: Sessions): vscode.Disposable {
  const item = vscode.window.createStatusBarItem(STATUS_ITEM, vscode.StatusBarAlignment.Left, 90);
  item.name = "Tapedeck";
  const update = (): void => {
    const { all, current } = sessions;
    if (current === undefined || !all.some(({ session }) => session.lifecycle.known)) return item.hide();
    const { session } = current;
    const { state } = session;
    const shown = describeStatusBar({
      ...state,
      status: session.lifecycle.status,
      mode: session.mode,
      missing: listMissingCalls(state.findings).length,
      runs: state.runs.map(({ mode }) => mode),
      origin: session.connection.origin,
      notes: session.notes,
      flash: session.flash,
      ...(all.length > 1 && {
        folder: {
          name: session.folder.name,
          missing: all.map(
            (one) => [one.session.folder.name, listMissingCalls(one.session.state.findings).length] as const,
          ),
        },
      }),
    });
    item.text = shown.text;
    item.tooltip = markdown(shown.tooltip);
    item.backgroundColor = shown.background && new vscode.ThemeColor(BACKGROUNDS[shown.background]);
    item.accessibilityInformation = { label: shown.accessibilityLabel, role: "button" };
    item.command = shown.command;
    item.show();
  };
  update();
  return vscode.Disposable.from(
    item,
    sessions.onDidChange(update),
    sessions.onDidChangeCurrent(update),
    sessions.onDidChangeState(update),
  );
}

function markdown(text: string): vscode.MarkdownString {
  const shown = new vscode.MarkdownString(text, true);
  shown.isTrusted = { enabledCommands: LINKED_COMMANDS };
  return shown;
}
