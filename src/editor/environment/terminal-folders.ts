import * as vscode from "vscode";

/** Which folder's variables a terminal has: those of the folder that it was opened in. */
export type TerminalFolders = ReturnType<typeof watchTerminalFolders>;

/** Stores the first working directory of each terminal. Later ones do not change its variables. */
export function watchTerminalFolders() {
  const first = new WeakMap<vscode.Terminal, vscode.Uri>();
  const look = (terminal: vscode.Terminal): vscode.Uri | undefined => {
    const known = first.get(terminal);
    if (known) return known;
    const found = askedFor(terminal) ?? terminal.shellIntegration?.cwd;
    if (found) first.set(terminal, found);
    return found;
  };
  vscode.window.terminals.forEach(look);
  const listening = vscode.Disposable.from(
    vscode.window.onDidOpenTerminal(look),
    vscode.window.onDidChangeTerminalShellIntegration(({ terminal }) => look(terminal)),
  );
  return {
    /** Undefined if it is unknown: a terminal without shell integration, or one outside of all folders. */
    folderOf(terminal: vscode.Terminal) {
      const cwd = look(terminal);
      return cwd && vscode.workspace.getWorkspaceFolder(cwd);
    },
    dispose: () => listening.dispose(),
  };
}

function askedFor({ creationOptions }: vscode.Terminal): vscode.Uri | undefined {
  const cwd = "cwd" in creationOptions ? creationOptions.cwd : undefined;
  return typeof cwd === "string" ? vscode.Uri.file(cwd) : cwd;
}
