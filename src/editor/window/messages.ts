/** The one way to a person's eyes: whatever is said here is text, and never a link or an icon of somebody else's. */
import * as vscode from "vscode";
import { plain, plainLine } from "./messages-model.ts";

/** What a message offers: titles of buttons. Gives the one that was pressed; undefined where it was closed. */
type Say = (text: string, ...buttons: readonly string[]) => Promise<string | undefined>;

export const sayInformation: Say = async (text, ...buttons) =>
  vscode.window.showInformationMessage(plain(text), ...buttons);

export const sayWarning: Say = async (text, ...buttons) =>
  vscode.window.showWarningMessage(plain(text), ...buttons);

export const sayError: Say = async (text, ...buttons) =>
  vscode.window.showErrorMessage(plain(text), ...buttons);

export interface Question {
  readonly text: string;
  /** Below it, in smaller letters. */
  readonly detail: string;
  readonly buttons: readonly string[];
  readonly isWarning?: boolean;
}

/** Asks in a dialogue that must be answered. Gives the button that was pressed; undefined where it was none. */
export async function ask({ text, detail, buttons, isWarning }: Question): Promise<string | undefined> {
  const show = isWarning ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  return show(plain(text), { modal: true, detail: plain(detail) }, ...buttons);
}

/** Says something in the status bar for a while. */
export function flashStatus(icon: string, text: string, ms = 3_000): void {
  vscode.window.setStatusBarMessage(`$(${icon}) ${plainLine(text)}`, ms);
}

interface ProgressOptions {
  /** In a message, in the status bar, or above a view of ours. */
  readonly where: "message" | "status" | { readonly viewId: string };
  readonly title?: string;
  readonly cancellable?: boolean;
}

type Report = (step: { readonly message?: string; readonly increment?: number }) => void;

/** Shows that work is under way until it has ended. `cancelled`: where the person does not want it any more. */
export async function showProgress<T>(
  { where, title, cancellable = false }: ProgressOptions,
  work: (report: Report, cancelled: AbortSignal) => PromiseLike<T>,
): Promise<T> {
  const location = typeof where === "string" ? LOCATIONS[where] : where;
  const options = { location, cancellable, ...(title !== undefined && { title: plainLine(title) }) };
  return vscode.window.withProgress(options, async (progress, token) => {
    const stopping = new AbortController();
    const listening = token.onCancellationRequested(() => stopping.abort());
    try {
      return await work(
        ({ message, ...rest }) =>
          progress.report({ ...rest, ...(message !== undefined && { message: plainLine(message) }) }),
        stopping.signal,
      );
    } finally {
      listening.dispose();
    }
  });
}

const LOCATIONS = {
  message: vscode.ProgressLocation.Notification,
  status: vscode.ProgressLocation.Window,
} as const;

export async function showDifference(left: vscode.Uri, right: vscode.Uri, title: string): Promise<void> {
  const options: vscode.TextDocumentShowOptions = { preview: true };
  await vscode.commands.executeCommand("vscode.diff", left, right, plainLine(title), options);
}
