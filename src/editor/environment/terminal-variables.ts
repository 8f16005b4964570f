import * as vscode from "vscode";
import type { VariableChange } from "./environment-model.ts";
import { terminalChange, terminalState, type TerminalChange } from "./terminal-change-model.ts";

interface TerminalShare {
  /** Puts these changes in place of the ones before. `own`: what a process would have without us. */
  set(changes: readonly VariableChange[], own: Readonly<Record<string, string | undefined>>): void;
  withdraw(): void;
}

const DESCRIPTION = "Points LLM clients to Tapedeck, which records and replays their calls";

export function createTerminalShare(
  collection: vscode.EnvironmentVariableCollection,
  folder: vscode.WorkspaceFolder,
): TerminalShare {
  let current: readonly TerminalChange[] = [];
  return {
    set(wanted, own) {
      const changes = terminalChanges(wanted, folder, own);
      // Writing the same again would mark every open terminal as outdated.
      if (JSON.stringify(changes) === JSON.stringify(current)) return;
      current = changes;
      collection.clear();
      collection.description = DESCRIPTION;
      for (const { name, how, value } of changes) collection[how](name, value);
    },
    withdraw() {
      current = [];
      collection.clear();
    },
  };
}

/** What the user's settings give every terminal. */
export function terminalVariables(folder: vscode.WorkspaceFolder): Record<string, string> {
  const value = terminalSettings(folder);
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => isPlainText(entry[1])),
  );
}

function terminalSettings(folder: vscode.WorkspaceFolder, what = "env"): unknown {
  const system = { win32: "windows", darwin: "osx" }[process.platform as string] ?? "linux";
  return vscode.workspace.getConfiguration(`terminal.integrated.${what}`, folder.uri).get(system);
}

function terminalChanges(
  changes: readonly VariableChange[],
  folder: vscode.WorkspaceFolder,
  own: Readonly<Record<string, string | undefined>>,
): readonly TerminalChange[] {
  const isInherited = vscode.workspace.getConfiguration("terminal.integrated", folder.uri).get("inheritEnv");
  const tasks = vscode.workspace.getConfiguration("tasks", folder.uri);
  const sources = {
    inherited: isInherited === false ? {} : own,
    settings: terminalSettings(folder),
    others: [tasks.get("tasks"), tasks.get("options"), terminalSettings(folder, "profiles")],
  };
  return changes.flatMap((change) => {
    const separator = change.how === "replace" ? "" : change.separator;
    return terminalChange(change, terminalState(change.name, { ...sources, separator })) ?? [];
  });
}

/** A text that VS Code does not fill in. */
function isPlainText(value: unknown): value is string {
  return typeof value === "string" && !value.includes("${");
}
