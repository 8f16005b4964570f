import { localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import * as vscode from "vscode";
import { homedir } from "node:os";
import { explain } from "../../core/base/errors.ts";
import { findHooksPlace, copyStableHooks } from "../../hooks/stable-hooks.ts";
import type { CodeDeps, TestFiles } from "../test-code/test-files.ts";
import { Session } from "../session/session.ts";
import { getTag } from "../window/folder-names.ts";
import { getCollection, createWorkspaceEnvironment } from "../environment/environment.ts";
import type { HostShare, ShareOptions } from "../environment/host-environment.ts";
import { readFolderSettings } from "../settings/settings.ts";
import type { Log } from "../window/log.ts";
import { type Caches, dismissAnswered, findCaches } from "../metagpt/caches.ts";
import { createMetagptSwitch } from "../metagpt/switch-model.ts";
import { createProviderKeys } from "../session/provider-keys.ts";
import { createRemembered } from "../window/remembered.ts";
import { watchProjectFile } from "./project-file.ts";
import { type TreeChoices, type ViewFolder, createCallsModel } from "../calls-tree/calls-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import { watchStretches, watchUnreached } from "../session/stretches.ts";
import type { TerminalFolders } from "../environment/terminal-folders.ts";
import type { CallsView } from "../calls-tree/calls-view.ts";
import { registerMissProblems, registerQuickFixes } from "../test-code/miss-problems.ts";
import { registerTestLenses } from "../test-code/test-lenses.ts";
import { createRunQueue } from "../test-runs/batch-model.ts";
import { createRecordingProblems, watchRecordings } from "../checks/check-recordings.ts";
import type { CommandTable } from "../window/ids.ts";
import type { CommandDeps } from "./folder-commands.ts";
import { existsSync } from "node:fs";
import type { RequestView } from "../../core/view/describe.ts";
import { readArrivalTime } from "../../storage/folder/arrival.ts";
import { type AllDocuments, createDocuments } from "../documents/documents.ts";
import { RecordingIndex } from "../calls/recording-index-model.ts";
import { waitForOthers } from "../window/throttle.ts";
import type { ViewDeps } from "../call-commands/command-targets.ts";
import type { MissingCall } from "../findings/findings-model.ts";
import type { UndoStack } from "../window/undo-model.ts";

/** Parts that a window has once for all folders: the sidebar's tree, the readable documents, and the undo history. */
export interface Views extends vscode.Disposable {
  readonly view: CallsView;
  readonly documents: AllDocuments;
  readonly shown: TreeChoices;
  readonly undo: UndoStack;
}

/** Parts that the sessions of a window share. */
export interface WindowParts {
  readonly context: vscode.ExtensionContext;
  readonly log: Log;
  readonly sessions: Sessions<ViewFolder>;
  readonly views: Views;
  readonly files: TestFiles;
  readonly terminals: TerminalFolders;
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
  const tag = getTag(folder);
  const caches = findCaches(folder);
  const remembered = createRemembered(context, { tag, session: vscode.env.sessionId });
  const environment = createFolderEnvironment(window, folder, caches);
  const keys = createProviderKeys(context.secrets);
  const session = new Session({ folder, tag, log, remembered, environment, keys });
  const views = createFolderViews(window, session, caches);
  const features = createFeatures(window, { session, views, keys });
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

function createFolderEnvironment(
  { context, sessions, host, log }: WindowParts,
  folder: vscode.WorkspaceFolder,
  caches: Caches,
): ReturnType<typeof createWorkspaceEnvironment> {
  const id = folder.uri.toString();
  const is = (one: ViewFolder | undefined): boolean => one?.session.folder.uri.toString() === id;
  return createWorkspaceEnvironment({
    collection: getCollection(context.environmentVariableCollection, folder),
    folder,
    host: host({ root: folder.uri.fsPath, isFirst: () => is(sessions.all[0]) }),
    debugs: (debugged) => (debugged ? debugged.uri.toString() === id : is(sessions.current)),
    hooksDir: () => copyHooks(path.join(context.extensionPath, "dist", "hooks"), log),
    guards: () => readFolderSettings(folder).settings.guard,
    switches: (mode) => createMetagptSwitch(mode, caches.files),
  });
}

/** Returns a folder with the hooks that outlives updates of the extension; if that fails, the extension's own folder. */
async function copyHooks(source: string, log: Log): Promise<string> {
  try {
    return await copyStableHooks({ source, place: findHooksPlace(process.env, homedir()) });
  } catch (error) {
    log.warn(
      localize(
        "The hooks are in the extension's folder, so open new terminals after an update: {0}",
        explain(error),
      ),
    );
    return source;
  }
}

interface FeatureParts extends Pick<CommandDeps, "views" | "keys"> {
  readonly session: Session;
}

/** Starts the watchers and the features on source files. The commands are loaded when the first one runs. */
function createFeatures(window: WindowParts, { session, views, keys }: FeatureParts) {
  const { sessions, files, terminals, log } = window;
  const { index, documents } = views;
  const code: CodeDeps = { session, index, documents, files, log };
  const problems = createRecordingProblems(session);
  const queue = createRunQueue();
  const parts = vscode.Disposable.from(
    views.caches.onDidCount(
      () => void (session.lifecycle.status.kind === "ready" && session.lifecycle.begin()),
    ),
    dismissAnswered(session, views.caches),
    problems,
    watchRecordings(session, problems, { index, log }),
    watchStretches(session, terminals, () => sessions.current?.session === session),
    watchUnreached(session),
    watchProjectFile(session, log),
    registerTestLenses(code),
    registerMissProblems(code),
    registerQuickFixes(code),
    { dispose: () => queue.stop() },
  );
  let loading: Promise<CommandTable> | undefined;
  return {
    commands: () =>
      (loading ??= import("./folder-commands.ts").then(({ createFolderCommands: folderCommands }) =>
        folderCommands({ code, views, problems, queue, keys }),
      )),
    dispose: () => parts.dispose(),
  };
}

/** The parts of one folder for the tree and the readable documents. */
interface FolderViews extends vscode.Disposable, ViewDeps {}

/** Delay in ms after which the folder is listed for commands that need a recording. The first tests run earlier. */
const LIST_AFTER_MS = 2_000;

/** Reads no recording before it is shown. */
function createFolderViews(
  { context, views, log }: WindowParts,
  session: Session,
  caches: Caches,
): FolderViews {
  const { view, undo } = views;
  const index = createIndex(session);
  const model = createCallsModel(
    {
      index,
      state: () => session.state,
      describeMissing: createMissReader(session),
      isTeams: (entry) => isTeams(session, entry),
      caches: (looked) => caches.roots(looked),
      isOff: () => session.trusted && session.lifecycle.status.kind === "off",
      now: () => Date.now(),
    },
    views.shown,
  );
  const show = (): void => views.documents.refresh(session);
  const documents = createDocuments(session, { index, caches, log, show });
  const { workspaceState: memento } = context;
  const deps: ViewDeps = { session, memento, index, model, view, documents, undo, caches };
  const parts = vscode.Disposable.from(
    listLater(index, view, log),
    caches.onDidChange(view.refresh),
    index.onDidChange(view.refresh),
    documents,
    index,
  );
  return { ...deps, dispose: () => parts.dispose() };
}

function listLater(index: RecordingIndex, view: CallsView, log: Log): vscode.Disposable {
  const timer = setTimeout(() => {
    index.addresses().then(
      () => view.refresh(),
      (error: unknown) => log.error(localize("The recordings cannot be listed"), error),
    );
  }, LIST_AFTER_MS);
  return { dispose: () => clearTimeout(timer) };
}

function createIndex(session: Session): RecordingIndex {
  return new RecordingIndex({
    store: {
      list: () => session.deck.store.list(),
      read: (entry) => session.deck.store.read(entry),
      takes: (provider, key) => session.deck.store.takes(provider, key),
      watch: (listener) => session.recordings.onDidChange(listener),
    },
    has: (entry) => existsSync(path.join(session.deck.dir, entry)) || isTeams(session, entry),
    describe: (recording) => session.deck.describe(recording),
    onRead: (entry, { test, recordedAt }) =>
      session.recordings.learn(entry, {
        recordedAt,
        arrivedAt: readArrivalTime(session.deck.dir, entry),
        test,
      }),
    pause: waitForOthers,
  });
}

const isTeams = ({ deck }: Session, entry: string): boolean => deck.team?.isTeams(entry) === true;

/** Returns a function that describes a missing call. It reads the request of each call once. */
function createMissReader(session: Session): (call: MissingCall) => RequestView | undefined {
  const known = new WeakMap<MissingCall["miss"], RequestView>();
  return ({ miss }) => {
    try {
      const view = known.get(miss) ?? session.deck.describeRequest(miss);
      known.set(miss, view);
      return view;
    } catch {
      return undefined;
    }
  };
}
