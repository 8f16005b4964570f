import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { RequestView } from "../../core/describe.ts";
import type { CommandFeature, CommandTable } from "../window/commands.ts";
import type { Log } from "../window/log.ts";
import { withCacheCommands } from "../metagpt/cache-commands.ts";
import type { Caches } from "../metagpt/caches.ts";
import { ruleCommands } from "../rules/rule-commands.ts";
import type { MissingCall } from "../session/session-model.ts";
import type { Session } from "../session/session.ts";
import { acceptNearestCommands } from "../call-commands/accept-nearest.ts";
import { browseCommands } from "../call-commands/browse-commands.ts";
import { createCallsModel, type CallsModel, type Shown } from "./calls-model.ts";
import { compareCommands } from "../call-commands/compare-commands.ts";
import { createDeepSearch, type DeepSearch } from "./deep-search-model.ts";
import { createDocuments, type Documents } from "../documents/documents.ts";
import type { FolderTree } from "./folder-tree.ts";
import { keepCommands } from "../call-commands/keep-commands.ts";
import { openCommands } from "../call-commands/open-commands.ts";
import { recordCommands } from "../call-commands/record-commands.ts";
import { RecordingIndex } from "./recording-index-model.ts";
import { createStrays } from "./strays.ts";
import { afterOthers } from "./throttle.ts";
import type { ViewDeps } from "../call-commands/view-deps.ts";
import { writeReplyCommands } from "../call-commands/write-reply.ts";
import { createWrittenReplies } from "../call-commands/written-replies.ts";

/** What one folder gives to the tree and the readable documents, and the commands on its calls. */
export interface FolderViews extends CommandFeature {
  readonly index: RecordingIndex;
  readonly deep: DeepSearch;
  readonly model: CallsModel;
  readonly documents: Documents;
}

export interface FolderViewsOptions {
  readonly session: Session;
  readonly caches: Caches;
  readonly view: FolderTree;
  readonly shown: Shown;
  readonly memento: vscode.Memento;
  readonly undo: ViewDeps["undo"];
  readonly log: Log;
}

/** So long after the start the folder is listed, for commands that need a recording; long after the first tests could run. */
const LIST_AFTER_MS = 2_000;

/** Reads no recording before somebody looks. */
export function createFolderViews(options: FolderViewsOptions): FolderViews {
  const { session, caches, view, shown, memento, undo, log } = options;
  const index = createIndex(session);
  const deep = createDeepSearch(index, afterOthers);
  const strays = createStrays(session, index, () => view.refresh());
  const model = createCallsModel(
    {
      index,
      deep,
      state: () => session.state,
      describeMissing: missingReader(session),
      strays: () => strays.known,
      caches: (looked) => caches.roots(looked),
      now: () => Date.now(),
    },
    shown,
  );
  const documents = createDocuments(session, index, caches);
  const written = createWrittenReplies(session, log);
  const deps: ViewDeps = { session, memento, index, model, view, documents, undo, caches, written };
  const list = (): Promise<unknown> => Promise.all([index.addresses(), strays.look()]);
  const parts = vscode.Disposable.from(
    listLater(list, view, log),
    caches.onDidChange(() => view.refresh()),
    documents,
    written,
    strays,
    index,
    deep,
  );
  return { index, deep, model, documents, commands: commandsOn(deps), dispose: () => parts.dispose() };
}

function listLater(list: () => Promise<unknown>, view: FolderTree, log: Log): vscode.Disposable {
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
    has: (entry) => existsSync(path.join(session.deck.dir, entry)),
    describe: (recording) => session.deck.describe(recording),
    onRead: (entry, { test, recordedAt }) => session.learn(entry, { recordedAt, ...(test && { test }) }),
    pause: afterOthers,
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
