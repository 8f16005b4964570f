import * as vscode from "vscode";
import type { RequestView } from "../../core/view/recording-view.ts";
import { registerCommands } from "../commands.ts";
import { CONTEXTS } from "../ids.ts";
import type { Log } from "../log.ts";
import { withCacheCommands } from "../metagpt/cache-commands.ts";
import type { Caches } from "../metagpt/caches.ts";
import type { MissingCall } from "../session-model.ts";
import type { Session } from "../session.ts";
import { acceptNearestCommands } from "./accept-nearest.ts";
import { browseCommands, restoreView } from "./browse-commands.ts";
import type { CallsView } from "./calls-view.ts";
import { createCallsView } from "./calls-view.ts";
import { createCallsModel } from "./calls-model.ts";
import { compareCommands } from "./compare-commands.ts";
import { createDeepSearch } from "./deep-search-model.ts";
import { registerDocumentFeatures } from "./document-features.ts";
import { registerDocumentShades } from "./document-shades.ts";
import { registerDocuments } from "./documents.ts";
import { registerEarlierDocuments } from "./earlier-documents.ts";
import { createStrays } from "./strays.ts";
import { keepCommands } from "./keep-commands.ts";
import { openCommands } from "./open-commands.ts";
import { recordCommands } from "./record-commands.ts";
import { RecordingIndex } from "./recording-index-model.ts";
import { createUndoStack } from "./undo-model.ts";
import type { CommandTable, ViewDeps } from "./view-deps.ts";
import { ruleCommands } from "../rules/rule-commands.ts";
import { writeReplyCommands } from "./write-reply.ts";

/** So long after the start the folder is listed, for commands that need a recording; long after the first tests could run. */
const LIST_AFTER_MS = 2_000;

/** The sidebar's tree, the readable documents and every command on a call. Reads no recording before somebody looks. */
export function registerViews(
  context: vscode.ExtensionContext,
  session: Session,
  caches: Caches,
  log: Log,
): vscode.Disposable & { readonly view: CallsView; readonly index: RecordingIndex } {
  const index = createIndex(session);
  const deep = createDeepSearch(index, pause);
  const strays = createStrays(session, index, () => view.refresh());
  const model = createCallsModel({
    index,
    deep,
    state: () => session.state,
    describeMissing: missingReader(session),
    strays: () => strays.known,
    caches: (shown) => caches.roots(shown),
    now: () => Date.now(),
  });
  const memento = context.workspaceState;
  restoreView({ memento, model });
  const view = createCallsView({ session, model, index, deep });
  const documents = registerDocuments(session, index, caches);
  const undo = createUndoStack(() => {
    void vscode.commands.executeCommand("setContext", CONTEXTS.canUndo, undo.size > 0);
  });
  const pictures = vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, "pictures");
  const deps: ViewDeps = { session, memento, index, model, view, documents, undo, caches };
  const list = (): Promise<unknown> => Promise.all([index.addresses(), strays.look()]);
  const parts = vscode.Disposable.from(
    listLater(list, view, log),
    caches.onDidChange(() => view.refresh()),
    view,
    documents,
    strays,
    registerEarlierDocuments(session),
    index,
    deep,
    registerDocumentFeatures({ session, documents, index, pictures }),
    registerDocumentShades(documents),
    registerCommands(commandsOn(deps), log),
  );
  return { view, index, dispose: () => parts.dispose() };
}

function listLater(list: () => Promise<unknown>, view: CallsView, log: Log): vscode.Disposable {
  const timer = setTimeout(() => {
    list().then(
      () => view.refresh(),
      (error: unknown) => log.error("list", error),
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
      watch: (listener) => session.onDidChangeRecordings(listener),
    },
    describe: (recording) => session.deck.describe(recording),
    onRead: (entry, { test, recordedAt }) => session.learn(entry, { recordedAt, ...(test && { test }) }),
    pause,
  });
}

function commandsOn(deps: ViewDeps): CommandTable {
  return withCacheCommands(
    {
      ...browseCommands(deps),
      ...openCommands(deps),
      ...keepCommands(deps),
      ...compareCommands(deps),
      ...recordCommands(deps),
      ...writeReplyCommands(deps),
      ...ruleCommands(deps),
      ...acceptNearestCommands(deps),
    },
    deps,
  );
}

/** After what waits for the event loop: calls that tests wait for come before what somebody may look at. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** A request is read once, and again only when the call is another object. */
function missingReader(session: Session): (call: MissingCall) => RequestView | undefined {
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
