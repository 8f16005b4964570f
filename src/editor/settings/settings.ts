import * as vscode from "vscode";
import { type ReadSettings, SETTINGS, readSettings } from "./settings-model.ts";

export function readFolderSettings(folder: vscode.WorkspaceFolder | undefined): ReadSettings {
  const configuration = vscode.workspace.getConfiguration(undefined, folder?.uri);
  return readSettings((key) => configuration.get<unknown>(key));
}

/** Calls back where a setting of ours changed for the folder. */
export function onDidChangeSettings(
  folder: vscode.WorkspaceFolder | undefined,
  listener: (changes: { readonly mode: boolean }) => void,
): vscode.Disposable {
  const keys = Object.values(SETTINGS).map(({ key }) => key);
  return vscode.workspace.onDidChangeConfiguration((event) => {
    const isChanged = (key: string): boolean => event.affectsConfiguration(key, folder?.uri);
    if (keys.some(isChanged)) listener({ mode: isChanged(SETTINGS.mode.key) });
  });
}
