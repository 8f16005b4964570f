import * as vscode from "vscode";
import { STATUS_ITEM } from "./ids.ts";
import type { Session } from "./session.ts";
import { LINKED_COMMANDS, statusBarModel } from "./status-bar-model.ts";

const BACKGROUNDS = {
  warning: "statusBarItem.warningBackground",
  error: "statusBarItem.errorBackground",
} as const;

/** The item in the status bar. It is shown where Tapedeck is known to be used, and nowhere else. */
export function createStatusBar(session: Session): vscode.Disposable {
  const item = vscode.window.createStatusBarItem(STATUS_ITEM, vscode.StatusBarAlignment.Left, 90);
  item.name = "Tapedeck";
  const update = (): void => {
    const { state } = session;
    const shown = statusBarModel({
      status: session.status,
      mode: session.mode,
      counts: state.counts,
      spent: state.spent,
      missing: state.missing.length,
      runs: state.runs.map(({ mode }) => mode),
      requests: state.requests,
      unreached: state.unreached,
      origin: session.origin,
      notes: session.notes,
      flash: session.flash,
    });
    item.text = shown.text;
    item.tooltip = markdown(shown.tooltip);
    item.backgroundColor = shown.background && new vscode.ThemeColor(BACKGROUNDS[shown.background]);
    item.accessibilityInformation = { label: shown.accessibilityLabel, role: "button" };
    item.command = shown.command;
    if (session.known) item.show();
    else item.hide();
  };
  const listening = session.onDidChange(update);
  update();
  return vscode.Disposable.from(item, listening);
}

function markdown(text: string): vscode.MarkdownString {
  const shown = new vscode.MarkdownString(text, true);
  shown.isTrusted = { enabledCommands: LINKED_COMMANDS };
  return shown;
}
