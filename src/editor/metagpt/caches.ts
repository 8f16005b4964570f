import * as vscode from "vscode";
import { getOwnPathIn } from "../window/folder-names.ts";
import { runOneAtATime, throttle } from "../window/throttle.ts";

/** MetaGPT's caches in a workspace folder, found by their name. MetaGPT's switch is set only where there is one. */
export type Caches = ReturnType<typeof findCaches>;

/** Minimum time between two searches, which go through all folders. */
const EVERY_MS = 3_000;
const NAME = "**/rsp_cache.json";
const NOT_IN = "**/{node_modules,.git,.venv,venv}/**";
const HIDDEN = /(?:^|\/)(?:node_modules|\.git|\.venv|venv)\//u;

export function findCaches(folder: vscode.WorkspaceFolder) {
  const counted = new vscode.EventEmitter<void>();
  const found = new Set<string>();
  /** Applies a change, and reports when the first file is added or the last one is removed. */
  const change = (apply: () => void): void => {
    const hadNone = found.size === 0;
    apply();
    if (hadNone !== (found.size === 0)) counted.fire();
  };
  // Files in a nested folder of the window belong to that folder.
  const note = (uri: vscode.Uri): void => {
    const file = getOwnPathIn(folder, uri);
    if (file !== undefined && !HIDDEN.test(file)) change(() => found.add(file));
  };
  const forget = (uri: vscode.Uri): void => change(() => found.delete(getOwnPathIn(folder, uri) ?? ""));
  const pattern = new vscode.RelativePattern(folder, NAME);
  const watcher = vscode.workspace.createFileSystemWatcher(pattern);
  // The watcher can miss a file whose folder was created just before it.
  const look = async (): Promise<void> => {
    const there = await vscode.workspace.findFiles(pattern, NOT_IN);
    change(() => {
      found.clear();
      for (const uri of there) found.add(getOwnPathIn(folder, uri) ?? "");
      found.delete("");
    });
  };
  const again = throttle(runOneAtATime(look), () => EVERY_MS);
  again();
  const parts = [
    counted,
    again,
    watcher,
    watcher.onDidCreate(note),
    watcher.onDidDelete(forget),
    vscode.tasks.onDidEndTask(again),
    vscode.window.onDidEndTerminalShellExecution(again),
  ];
  return {
    /** Whether the folder has a cache. Known soon after the start. */
    get areThere() {
      return found.size > 0;
    },
    /** Fires when `areThere` changes. */
    onDidCount: counted.event,
    /** Looks for files again. */
    refresh: again,
    dispose: () => vscode.Disposable.from(...parts).dispose(),
  };
}
