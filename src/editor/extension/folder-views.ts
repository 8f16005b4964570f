import { existsSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { RequestView } from "../../core/view/describe.ts";
import { arrivedAt } from "../../storage/folder/arrival.ts";
import type { Log } from "../window/log.ts";
import type { Caches } from "../metagpt/caches.ts";
import type { Session } from "../session/session.ts";
import { createCallsModel, type Shown } from "../calls-tree/calls-model.ts";
import { createDocuments } from "../documents/documents.ts";
import type { FolderTree } from "../calls-tree/calls-view.ts";
import { RecordingIndex } from "../calls/recording-index-model.ts";
import { afterOthers, oneAtATime, throttle } from "../window/throttle.ts";
import type { ViewDeps } from "../call-commands/view-deps.ts";
import { createWrittenReplies } from "../call-commands/written-replies.ts";
import type { MissingCall } from "../findings/findings-model.ts";
import { createFolderIndex, type FolderIndex, type Stray } from "../../storage/folder/find-recordings.ts";

/** What one folder gives to the tree and the readable documents. */
interface FolderViews extends vscode.Disposable, ViewDeps {}

interface FolderViewsOptions {
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
  const strays = createStrays(session, index, () => view.refresh());
  const model = createCallsModel(
    {
      index,
      state: () => session.state,
      describeMissing: missingReader(session),
      isTeams: (entry) => isTeams(session, entry),
      asksTeam: () => session.deck.team?.asks === true,
      strays: () => strays.known,
      caches: (looked) => caches.roots(looked),
      isOff: () => session.trusted && session.lifecycle.status.kind === "off",
      now: () => Date.now(),
    },
    shown,
  );
  const documents = createDocuments(session, { index, caches, log });
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
  );
  return { ...deps, dispose: () => parts.dispose() };
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
      watch: (listener) => session.recordings.onDidChange(listener),
    },
    has: (entry) => existsSync(path.join(session.deck.dir, entry)) || isTeams(session, entry),
    describe: (recording) => session.deck.describe(recording),
    onRead: (entry, { test, recordedAt }) =>
      session.recordings.learn(entry, { recordedAt, arrivedAt: arrivedAt(session.deck.dir, entry), test }),
    pause: afterOthers,
  });
}

const isTeams = ({ deck }: Session, entry: string): boolean => deck.team?.isTeams(entry) === true;

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

/** What lies among the recordings and is none, kept current. */
interface Strays extends vscode.Disposable {
  readonly known: readonly Stray[];
  look(): Promise<void>;
}

/** Every look goes through all folders. */
const EVERY_MS = 3_000;

function createStrays(session: Session, index: RecordingIndex, onDidChange: () => void): Strays {
  let known: readonly Stray[] = [];
  let surveyed: { readonly dir: string; readonly index: FolderIndex } | undefined;
  const look = async (): Promise<void> => {
    const { dir } = session.deck;
    if (surveyed?.dir !== dir) surveyed = { dir, index: createFolderIndex(dir) };
    const { strays: now } = surveyed.index.survey();
    const isSame = JSON.stringify(now) === JSON.stringify(known);
    known = now;
    if (!isSame) onDidChange();
  };
  // A folder that cannot be read is told of above the tree.
  const again = throttle(oneAtATime(look), () => EVERY_MS);
  // The folder's watcher tells of recordings alone, so others are looked for whenever something was looked at afresh.
  const listening = vscode.Disposable.from(
    index.onDidChange(again),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused && known.length + index.progress.total > 0) again();
    }),
  );
  return {
    get known() {
      return known;
    },
    look,
    dispose: () => vscode.Disposable.from(again, listening).dispose(),
  };
}
