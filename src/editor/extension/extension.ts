import "./language.ts";
import * as path from "node:path";
import * as vscode from "vscode";
import { createTestFiles } from "../test-code/test-files.ts";
import { killAllTests } from "../test-runs/test-process.ts";
import { registerAgents } from "../agent/register-agents.ts";
import { registerCommands } from "./commands.ts";
import { type Views, type WindowParts, openFolderSession } from "./open-folder-session.ts";
import { createHostEnvironment, createProcessEnvironment } from "../environment/host-environment.ts";
import { type Log, createLog } from "../window/log.ts";
import type { Session } from "../session/session.ts";
import { OwnedSessions } from "./sessions.ts";
import { mochaHooks } from "../language-models/current-test.ts";
import { registerTapedModels } from "../language-models/register-models.ts";
import type { TapedFolder } from "../language-models/taped-models.ts";
import { createStatusBar } from "../status-bar/status-bar.ts";
import { watchTerminalFolders } from "../environment/terminal-folders.ts";
import { CONTEXTS, REMEMBERED } from "../window/ids.ts";
import type { TreeChoices, ViewFolder } from "../calls-tree/calls-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import { isGrouping } from "../calls-tree/call-groups-model.ts";
import { createCallsView } from "../calls-tree/calls-view.ts";
import { registerDocumentFeatures } from "../documents/document-features.ts";
import { registerDocuments } from "../documents/documents.ts";
import { createUndoStack } from "../window/undo-model.ts";
import { isRuled, listMissingCalls } from "../findings/findings-model.ts";
import type { SessionState } from "../session/session-model.ts";

/** The interface for other extensions and tests. */
export interface TapedeckApi {
  /** Returns the session of a file's folder; without a file, of the first folder. Undefined if there is no folder. */
  session(uri?: vscode.Uri): Session | undefined;
  /** Root hooks for a mocha in the extension host: they report which test calls a language model. */
  readonly mochaHooks: typeof mochaHooks;
}

let open: OwnedSessions | undefined;

/** Puts the features together. Nothing here waits: servers start, and recordings are read, afterwards. */
export function activate(context: vscode.ExtensionContext): TapedeckApi {
  const log = createLog();
  context.subscriptions.push(log);
  const sessions = openWindow(context, log);
  open = sessions;
  return {
    session: (uri) => (uri ? sessions.of(uri) : sessions.all[0])?.session,
    mochaHooks,
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
  const sessions = new OwnedSessions((folder, after) => openFolderSession(window, folder, after));
  const views = registerViews(context, sessions);
  const window: WindowParts = { context, log, sessions, views, files, terminals, host };
  sessions.start();
  context.subscriptions.push(
    { dispose: killAllTests },
    files,
    terminals,
    views,
    createStatusBar(sessions),
    createContextKeys(sessions),
    registerTapedModels(() => findTapedFolder(sessions), sessions.onDidChange),
    registerCommands(sessions, log, views.view),
    registerAgents(context, sessions),
  );
  return sessions;
}

/** Returns the first folder whose calls are answered, once it has started. */
async function findTapedFolder({ all }: OwnedSessions): Promise<TapedFolder | undefined> {
  for (const { session } of all) {
    if (session.lifecycle.status.kind !== "ready") await session.lifecycle.begin();
    if (session.lifecycle.status.kind === "ready")
      return { path: session.folder.uri.fsPath, deck: session.deck, run: session.runs.folder };
  }
  return undefined;
}

export function registerViews(context: vscode.ExtensionContext, sessions: Sessions<ViewFolder>): Views {
  const shown: TreeChoices = { filterText: "", grouping: "test" };
  restoreView(context.workspaceState, shown);
  const view = createCallsView(sessions, shown);
  const documents = registerDocuments(sessions);
  const undo = createUndoStack(() => {
    void vscode.commands.executeCommand("setContext", CONTEXTS.canUndo, undo.size > 0);
  });
  const pictures = vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, "pictures");
  const parts = vscode.Disposable.from(
    view,
    documents,
    registerDocumentFeatures({ sessions, documents, pictures }),
  );
  return { view, documents, shown, undo, dispose: () => parts.dispose() };
}

/** Restores the filter and the grouping of this workspace. */
function restoreView(memento: vscode.Memento, shown: TreeChoices): void {
  const filter = memento.get<unknown>(REMEMBERED.filter);
  const grouping = memento.get<unknown>(REMEMBERED.grouping);
  if (typeof filter === "string") shown.filterText = filter;
  if (isGrouping(grouping)) shown.grouping = grouping;
}

type ContextKey = (typeof CONTEXTS)[keyof typeof CONTEXTS];

/**
 * Keeps the keys for `when` clauses current; each is set only when it changes. Status and mode are the current folder's;
 * what there is to do counts in every folder.
 */
function createContextKeys(sessions: Sessions<ViewFolder>): vscode.Disposable {
  const known = new Map<string, unknown>();
  const set = (key: string, value: unknown): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void vscode.commands.executeCommand("setContext", key, value);
  };
  const update = (): void => {
    const { all, current } = sessions;
    const any = (is: (state: SessionState) => boolean): boolean =>
      all.some(({ session }) => is(session.state));
    const values: Readonly<Partial<Record<ContextKey, unknown>>> = {
      [CONTEXTS.session]: current !== undefined,
      [CONTEXTS.active]: current?.session.trusted === true,
      [CONTEXTS.status]: current?.session.lifecycle.status.kind,
      [CONTEXTS.mode]: current?.session.mode,
      [CONTEXTS.hasMissing]: any(({ findings }) => listMissingCalls(findings).length > 0),
      [CONTEXTS.hasRules]: any(({ findings }) => findings.some(isRuled)),
      [CONTEXTS.hasCandidates]: any(({ candidates }) => candidates.size > 0),
      [CONTEXTS.running]: any(({ runs }) => runs.length > 0),
      [CONTEXTS.unreached]: any(({ unreached }) => unreached !== undefined),
    };
    for (const [key, value] of Object.entries(values)) set(key, value);
  };
  update();
  return vscode.Disposable.from(
    sessions.onDidChange(update),
    sessions.onDidChangeCurrent(update),
    sessions.onDidChangeState(update),
  );
}
