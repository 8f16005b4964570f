import * as vscode from "vscode";
import { registerModels, TAPED_VENDOR, type ModelProvider } from "./newer-vscode.ts";
import type { FindTapedFolder, TapedModels } from "./taped-models.ts";

/** Registers the taped models. Their code is loaded when an extension first asks for one. */
export function registerTapedModels(
  folder: FindTapedFolder,
  onDidChangeFolders: vscode.Event<void>,
): vscode.Disposable {
  if (registerModels === undefined) return { dispose: () => undefined };
  const changed = new vscode.EventEmitter<void>();
  let loading: Promise<TapedModels> | undefined;
  const load = (): Promise<TapedModels> =>
    (loading ??= import("./taped-models.ts").then(({ createTapedModels }) => createTapedModels(folder)));
  const provider: ModelProvider = {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: async (...args) =>
      (await load()).provideLanguageModelChatInformation(...args),
    provideLanguageModelChatResponse: async (...args) =>
      (await load()).provideLanguageModelChatResponse(...args),
    provideTokenCount: async (...args) => (await load()).provideTokenCount(...args),
  };
  return vscode.Disposable.from(
    changed,
    onDidChangeFolders(() => changed.fire()),
    registerModels(TAPED_VENDOR, provider),
  );
}
