import * as vscode from "vscode";

/** The folders in which terminals were opened. A terminal has the variables of that folder. */
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
