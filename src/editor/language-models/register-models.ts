import * as vscode from "vscode";
import { registerModels, TAPED_VENDOR, type ModelProvider } from "./newer-vscode.ts";
import type { FindTapedFolder } from "./taped-models.ts";

/** Registers the taped models. Their code is loaded when an extension first asks for one. */
export function registerTapedModels(
  folder: FindTapedFolder,
  onDidChangeFolders: vscode.Event<void>,
): vscode.Disposable {
  if (registerModels === undefined) return { dispose: () => undefined };
  const changed = new vscode.EventEmitter<void>();
  const load = async () => (await import("./taped-models.ts")).createTapedModels(folder);
  const loaded = createLazily(load);
  const provider: ModelProvider = {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: async (...args) =>
      (await loaded()).provideLanguageModelChatInformation(...args),
    provideLanguageModelChatResponse: async (...args) =>
      (await loaded()).provideLanguageModelChatResponse(...args),
    provideTokenCount: async (...args) => (await loaded()).provideTokenCount(...args),
  };
  return vscode.Disposable.from(
    changed,
    onDidChangeFolders(() => changed.fire()),
    registerModels(TAPED_VENDOR, provider),
  );
}

function createLazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => (loading ??= load());
}
