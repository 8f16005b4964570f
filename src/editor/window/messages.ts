/** Shows all messages of the extension. Their texts are escaped, so that no foreign text becomes a link or an icon. */
import * as vscode from "vscode";
import { removeMarkup, removeMarkupFromLine } from "./messages-model.ts";

/** Shows a message with buttons. Resolves to the title of the pressed button; undefined if the message was closed. */
type ShowMessage = (text: string, ...buttons: readonly string[]) => Promise<string | undefined>;

export const showInformation: ShowMessage = async (text, ...buttons) =>
  vscode.window.showInformationMessage(removeMarkup(text), ...buttons);

export const showWarning: ShowMessage = async (text, ...buttons) =>
  vscode.window.showWarningMessage(removeMarkup(text), ...buttons);

export const showError: ShowMessage = async (text, ...buttons) =>
  vscode.window.showErrorMessage(removeMarkup(text), ...buttons);

export interface Question {
  readonly text: string;
  /** Shown below the text in a smaller font. */
  readonly detail: string;
  readonly buttons: readonly string[];
  readonly isWarning?: boolean;
}

/** Asks in a modal dialog. Resolves to the pressed button; undefined if it was closed. */
export async function ask({ text, detail, buttons, isWarning }: Question): Promise<string | undefined> {
  const show = isWarning ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  return show(removeMarkup(text), { modal: true, detail: removeMarkup(detail) }, ...buttons);
}

/** Shows a message in the status bar for a while. */
export function flashStatus(icon: string, text: string, ms = 3_000): void {
  vscode.window.setStatusBarMessage(`$(${icon}) ${removeMarkupFromLine(text)}`, ms);
}

interface ProgressOptions {
  /** In a notification, in the status bar, or at the top of one of the extension's views. */
  readonly where: "message" | "status" | { readonly viewId: string };
  readonly title?: string;
  readonly cancellable?: boolean;
}

type Report = (step: { readonly message?: string; readonly increment?: number }) => void;

/** Shows progress until the work ends. `cancelled` aborts if the person cancels. */
export async function showProgress<T>(
  { where, title, cancellable = false }: ProgressOptions,
  work: (report: Report, cancelled: AbortSignal) => PromiseLike<T>,
): Promise<T> {
  const location = typeof where === "string" ? LOCATIONS[where] : where;
  const options = {
    location,
    cancellable,
    ...(title !== undefined && { title: removeMarkupFromLine(title) }),
  };
  return vscode.window.withProgress(options, async (progress, token) => {
    const stopping = new AbortController();
    const listening = token.onCancellationRequested(() => stopping.abort());
    try {
      return await work(
        ({ message, ...rest }) =>
          progress.report({
            ...rest,
            ...(message !== undefined && { message: removeMarkupFromLine(message) }),
          }),
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
  await vscode.commands.executeCommand("vscode.diff", left, right, removeMarkupFromLine(title), options);
}
