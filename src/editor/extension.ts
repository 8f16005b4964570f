import * as path from "node:path";
import * as vscode from "vscode";
import { registerCode } from "./code/code.ts";
import { createContextKeys } from "./context-keys.ts";
import { EditorSession } from "./editor-session.ts";
import { createWorkspaceEnvironment } from "./environment.ts";
import { watchEdits } from "./edits/edit-watcher.ts";
import { createLog } from "./log.ts";
import type { Log } from "./log.ts";
import { keepMissing } from "./missing-memory.ts";
import { registerModeCommands } from "./mode-commands.ts";
import { findCaches } from "./metagpt/caches.ts";
import { metagptSwitch } from "./metagpt/switch-model.ts";
import { createRemembered } from "./remembered.ts";
import type { RunnerProcess } from "../server/runner-process.ts";
import { registerSessionCommands } from "./session-commands.ts";
import type { Session } from "./session.ts";
import { watchProjectFile } from "./rules/project-file.ts";
import { createStatusBar } from "./status-bar.ts";
import { watchStretches } from "./stretches.ts";
import { watchUnreached } from "./unreached.ts";
import { registerViews } from "./views/views.ts";

/** What other extensions and tests may use. */
export interface TapedeckApi {
  /** The session of the first workspace folder; undefined in a window without a folder. */
  session(): Session | undefined;
  /** How long `activate` took. */
  readonly activationMs: number;
}

let open: EditorSession | undefined;

/** Puts the features together. Nothing here waits: the server starts, and recordings are read, afterwards. */
export function activate(context: vscode.ExtensionContext): TapedeckApi {
  const begun = performance.now();
  const log = createLog();
  context.subscriptions.push(log);
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder?.uri.scheme === "file") open = openSession(context, folder, log);
  return { session: () => open, activationMs: performance.now() - begun };
}

/** Frees the port, takes back every variable, and writes what is remembered. */
export async function deactivate(): Promise<void> {
  const closing = open;
  open = undefined;
  await closing?.close();
}

function openSession(
  context: vscode.ExtensionContext,
  folder: vscode.WorkspaceFolder,
  log: Log,
): EditorSession {
  const caches = findCaches(folder);
  const environment = createWorkspaceEnvironment({
    collection: context.environmentVariableCollection,
    folder,
    hooksDir: path.join(context.extensionPath, "dist", "hooks"),
    switches: (mode) => metagptSwitch(mode, caches.files),
  });
  const remembered = createRemembered(context.workspaceState);
  const tests = new vscode.EventEmitter<RunnerProcess>();
  const onTests = (runner: RunnerProcess): void => tests.fire(runner);
  const session = new EditorSession({ folder, log, remembered, environment, onTests });
  const views = registerViews(context, session, caches, log);
  context.subscriptions.push(
    caches,
    caches.onDidCount(() => void (session.status.kind === "ready" && session.begin())),
    environment,
    createStatusBar(session),
    createContextKeys(session),
    registerModeCommands(session, log),
    registerSessionCommands(session, context.extension.id, log),
    watchStretches(session),
    tests,
    watchUnreached(session, tests.event, context.workspaceState),
    watchProjectFile(session, log),
    keepMissing(session, remembered),
    views,
    watchEdits(session, views.index, {
      grammarsDir: path.join(context.extensionPath, "dist", "grammars"),
      log,
    }),
    registerCode(context, session, views.index, log),
  );
  void session.begin();
  return session;
}
