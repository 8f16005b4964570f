import * as path from "node:path";
import * as vscode from "vscode";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import { getCassetteDir } from "../session/session-deck.ts";
import type { Session } from "../session/session.ts";
import { readSubjectOfUri } from "../documents/uris.ts";

export type OwnedSessions = ReturnType<typeof createSessions>;

/** Opens the session of a folder. It begins only `after` the one before it at the same place is closed. */
type OpenFolderView = (folder: vscode.WorkspaceFolder, after: Promise<void>) => ViewFolder;

/** The sessions of the window's folders on a disk, by the addresses of the folders, in their order. */
export function createSessions(open: OpenFolderView) {
  const opened = new Map<string, ViewFolder>();
  const closing = new Map<string, Promise<void>>();
  const changed = new vscode.EventEmitter<void>();
  const changedCurrent = new vscode.EventEmitter<void>();
  const changedState = new vscode.EventEmitter<void>();
  const subscriptions: vscode.Disposable[] = [changed, changedCurrent, changedState];
  let last: ViewFolder | undefined;

  const all = (): readonly ViewFolder[] => [...opened.values()];
  const findTagged = (tag: string | undefined): ViewFolder | undefined =>
    tag === undefined ? all()[0] : opened.get(tag);
  const of = (uri: vscode.Uri): ViewFolder | undefined => {
    const subject = readSubjectOfUri(uri);
    if (subject) return findTagged(subject.folder);
    // A cassette folder may be elsewhere, also in another folder of the window.
    const recorder = all().find(({ session }) => isRecordingOf(session, uri));
    if (recorder) return recorder;
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    return folder && opened.get(folder.uri.toString());
  };
  const current = (): ViewFolder | undefined => {
    const active = vscode.window.activeTextEditor?.document.uri;
    return (active && of(active)) ?? all()[0];
  };
  const look = (): void => {
    const now = current();
    if (now === last) return;
    last = now;
    changedCurrent.fire();
  };
  const add = (folder: vscode.WorkspaceFolder, id: string): ViewFolder => {
    const one = open(folder, closing.get(id) ?? Promise.resolve());
    one.session.onDidChange(() => changedState.fire());
    return one;
  };
  /** Closes the sessions of removed folders, and opens those of new ones. */
  const follow = (folders: readonly vscode.WorkspaceFolder[]): void => {
    const before = new Map(opened);
    const local = folders.filter(({ uri }) => uri.scheme === "file");
    for (const [id, one] of before)
      if (!local.some(({ uri }) => uri.toString() === id)) closing.set(id, one.close());
    opened.clear();
    for (const folder of local) {
      const id = folder.uri.toString();
      opened.set(id, before.get(id) ?? add(folder, id));
    }
    // Processes of other extensions have the first folder's variables.
    const [first] = before.keys();
    if (first !== undefined && first !== opened.keys().next().value)
      for (const one of all()) if (one.session.lifecycle.status.kind === "ready") void one.begin();
    changed.fire();
    look();
  };
  const followWindow = (): void => follow(vscode.workspace.workspaceFolders ?? []);
  return {
    get all() {
      return all();
    },
    get current() {
      return current();
    },
    of,
    tagged: findTagged,
    onDidChange: changed.event,
    onDidChangeCurrent: changedCurrent.event,
    onDidChangeState: changedState.event,
    /** Opens the sessions of the current folders, and follows folders that are added or removed. */
    start() {
      followWindow();
      subscriptions.push(
        vscode.workspace.onDidChangeWorkspaceFolders(followWindow),
        vscode.window.onDidChangeActiveTextEditor(look),
      );
    },
    /** Resolves when every port is free and all notes are written. */
    async close() {
      vscode.Disposable.from(...subscriptions.splice(0)).dispose();
      follow([]);
      await Promise.allSettled(closing.values());
    },
  };
}

/** Does not use the deck, because opening a file must not open a deck. */
function isRecordingOf({ folder, settings }: Session, uri: vscode.Uri): boolean {
  const calls = path.join(getCassetteDir(folder.uri.fsPath, settings), "calls") + path.sep;
  return uri.scheme === "file" && uri.fsPath.startsWith(calls);
}
