import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { explain } from "../../core/base/errors.ts";
import { hooksPlace, stableHooks } from "../../hooks/stable-hooks.ts";
import type { TestFiles } from "../test-code/test-files.ts";
import { Session } from "../session/session.ts";
import { tagOf } from "../window/folder-names.ts";
import { collectionOf, createWorkspaceEnvironment } from "../environment/environment.ts";
import type { HostShare, ShareOptions } from "../environment/host-environment.ts";
import { settingsOf } from "../settings/settings.ts";
import type { Log } from "../window/log.ts";
import { findCaches, type Caches } from "../metagpt/caches.ts";
import { dismissAnswered } from "../metagpt/answered-misses.ts";
import { metagptSwitch } from "../metagpt/switch-model.ts";
import { createProviderKeys } from "../session/provider-keys.ts";
import { keepFindings } from "../session/finding-memory.ts";
import { createRemembered } from "../window/remembered.ts";
import { watchProjectFile } from "./project-file.ts";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import type { Pages } from "../panels/pages.ts";
import { watchStretches } from "../session/stretches.ts";
import { watchUnreached } from "../session/unreached.ts";
import type { TerminalFolders } from "../environment/terminal-folders.ts";
import { folderTree } from "../calls-tree/calls-view.ts";
import { createFolderViews } from "./folder-views.ts";
import type { Views } from "./views.ts";
import type { CodeDeps } from "../test-code/code-deps.ts";
import { registerMissProblems, registerQuickFixes } from "../test-code/miss-problems.ts";
import { watchMovedFiles } from "../test-code/moved-files.ts";
import { registerTerminalLinks } from "../test-code/terminal-links.ts";
import { registerTestLenses } from "../test-code/test-lenses.ts";
import { createRunQueue } from "../test-runs/batch-model.ts";
import { registerCheckFixes } from "../checks/check-fixes.ts";
import { createRecordingProblems, watchBroken, watchSaved } from "../checks/check-recordings.ts";
import type { CommandTable } from "../window/ids.ts";
import type { CommandDeps } from "./folder-commands.ts";

/** What the sessions of a window share. */
export interface WindowParts {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  readonly sessions: Sessions<ViewFolder>;
  readonly views: Views;
  readonly files: TestFiles;
  readonly terminals: TerminalFolders;
  readonly timelines: Pages;
  /** A share in the extension host's variables. */
  readonly host: (options: ShareOptions) => HostShare;
}

/** Puts one folder's features together. Nothing waits: the session begins `after` the one that was there before. */
export function openFolderSession(
  window: WindowParts,
  folder: vscode.WorkspaceFolder,
  after: Promise<void>,
): ViewFolder {
  const { context, log } = window;
  const tag = tagOf(folder);
  const caches = findCaches(folder);
  const remembered = createRemembered(context, { tag, session: vscode.env.sessionId });
  const environment = environmentOf(window, folder, caches);
  const keys = createProviderKeys(context.secrets);
  const session = new Session({ folder, tag, log, remembered, environment, keys });
  const views = createFolderViews({
    shown: window.views.shown,
    undo: window.views.undo,
    view: folderTree(window.views.view, () => window.sessions.tagged(tag), tag),
    session,
    caches,
    memento: context.workspaceState,
    log,
  });
  const features = featuresOf(window, { session, views, keys });
  const parts = vscode.Disposable.from(features, views, caches, environment);
  void after.then(() => session.lifecycle.begin());
  const { index, model, documents } = views;
  return {
    session,
    index,
    model,
    documents,
    command: async (id, ...args) => (await features.commands())[id](...args),
    begin: () => session.lifecycle.begin(),
    async close() {
      parts.dispose();
      await session.close();
    },
  };
}

function environmentOf(
  { context, sessions, host, log }: WindowParts,
  folder: vscode.WorkspaceFolder,
  caches: Caches,
): ReturnType<typeof createWorkspaceEnvironment> {
  const id = folder.uri.toString();
  const is = (one: ViewFolder | undefined): boolean => one?.session.folder.uri.toString() === id;
  return createWorkspaceEnvironment({
    collection: collectionOf(context.environmentVariableCollection, folder),
    folder,
    host: host({ root: folder.uri.fsPath, isFirst: () => is(sessions.all[0]) }),
    debugs: (debugged) => (debugged ? debugged.uri.toString() === id : is(sessions.current)),
    hooksDir: () => hooksOf(path.join(context.extensionPath, "dist", "hooks"), log),
    guards: () => settingsOf(folder).settings.guard,
    switches: (mode) => metagptSwitch(mode, caches.files),
  });
}

/** Where terminals find the hooks after an update and a removal of the extension, too; else where they came with it. */
async function hooksOf(source: string, log: Log): Promise<string> {
  try {
    return await stableHooks({ source, place: hooksPlace(process.env, homedir()), now: Date.now() });
  } catch (error) {
    log.warn(
      `The hooks are used from the extension's own folder, so terminals have to be opened anew after an update: ${explain(error)}`,
    );
    return source;
  }
}

interface FeatureParts extends Pick<CommandDeps, "views" | "keys"> {
  readonly session: Session;
}

/** What works by itself: everything that is watched, and what is shown on source files. Commands are loaded with the first one. */
function featuresOf(window: WindowParts, { session, views, keys }: FeatureParts) {
  const { context, sessions, files, terminals, timelines, log } = window;
  const { index } = views;
  const code: CodeDeps = { session, index, files, log, terminals };
  const problems = createRecordingProblems(session);
  const queue = createRunQueue();
  const parts = vscode.Disposable.from(
    views.caches.onDidCount(
      () => void (session.lifecycle.status.kind === "ready" && session.lifecycle.begin()),
    ),
    dismissAnswered(session, views.caches),
    problems,
    registerCheckFixes(session, problems),
    watchSaved(session, problems, log),
    watchBroken(session, index, problems, log),
    watchStretches(session, terminals, () => sessions.current?.session === session),
    watchUnreached(session, context.workspaceState),
    watchProjectFile(session, log),
    keepFindings(session, log),
    registerTestLenses(code),
    registerMissProblems(code),
    watchMovedFiles(code),
    registerQuickFixes(code),
    registerTerminalLinks(code),
    { dispose: () => queue.stop() },
  );
  let loading: Promise<CommandTable> | undefined;
  return {
    commands: () =>
      (loading ??= import("./folder-commands.ts").then(({ folderCommands }) =>
        folderCommands({ code, views, problems, queue, keys, timelines }),
      )),
    dispose: () => parts.dispose(),
  };
}
