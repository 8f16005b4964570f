import * as path from "node:path";
import type * as vscode from "vscode";
import { createTestFiles } from "../test-code/test-files.ts";
import { registerTimelines } from "../panels/timeline-panel.ts";
import { killAllTests } from "../test-runs/test-process.ts";
import { createContextKeys } from "./context-keys.ts";
import { registerCommands } from "./commands.ts";
import { openFolderSession, type WindowParts } from "./open-folder-session.ts";
import { createHostEnvironment, createProcessEnvironment } from "../environment/host-environment.ts";
import { createLog, type Log } from "../window/log.ts";
import type { Session } from "../session/session.ts";
import { createSessions, type OwnedSessions } from "./sessions.ts";
import { createStatusBar } from "../status-bar/status-bar.ts";
import { offerGitSetup } from "./offer-git.ts";
import { watchTerminalFolders } from "../environment/terminal-folders.ts";
import { tickWalkthrough } from "./walkthrough.ts";
import { registerScriptPages } from "../mocks/script-pages.ts";
import { registerViews } from "./views.ts";

/** What other extensions and tests may use. */
export interface TapedeckApi {
  /** The session of the folder that a file lies in, without one of the first; undefined where there is no folder. */
  session(uri?: vscode.Uri): Session | undefined;
  /** How long `activate` took. */
  readonly activationMs: number;
}

let open: OwnedSessions | undefined;

/** Puts the features together. Nothing here waits: servers start, and recordings are read, afterwards. */
export function activate(context: vscode.ExtensionContext): TapedeckApi {
  const begun = performance.now();
  const log = createLog();
  context.subscriptions.push(log);
  const sessions = openWindow(context, log);
  open = sessions;
  return {
    session: (uri) => (uri ? sessions.of(uri) : sessions.all[0])?.session,
    activationMs: performance.now() - begun,
  };
}

/** Frees the ports, takes back every variable, and writes what is remembered. */
export async function deactivate(): Promise<void> {
  const closing = open;
  open = undefined;
  await closing?.close();
}

function openWindow(context: vscode.ExtensionContext, log: Log): OwnedSessions {
  const files = createTestFiles(path.join(context.extensionPath, "dist", "grammars"));
  const terminals = watchTerminalFolders();
  const host = createHostEnvironment(createProcessEnvironment(process.env));
  const sessions = createSessions((folder, after) => openFolderSession(window, folder, after));
  const views = registerViews(context, sessions);
  const timelines = registerTimelines(context.extensionUri, sessions);
  const window: WindowParts = { context, log, sessions, views, files, terminals, host, timelines };
  sessions.start();
  context.subscriptions.push(
    { dispose: killAllTests },
    files,
    terminals,
    views,
    timelines,
    createStatusBar(sessions),
    registerScriptPages(sessions),
    createContextKeys(sessions),
    tickWalkthrough(sessions, views.view),
    offerGitSetup(sessions),
    registerCommands(sessions, log, views.view),
  );
  return sessions;
}
