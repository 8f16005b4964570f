import * as path from "node:path";
import * as vscode from "vscode";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import { SCHEMES } from "../window/ids.ts";
import { getCassetteDir } from "../session/session-deck.ts";
import type { Session } from "../session/session.ts";
import { readSubjectOfUri } from "../documents/uris.ts";

export type OwnedSessions = ReturnType<typeof createSessions>;

export function createSessions(open: OpenFolderView) {
  const opened = openSessions(open);
  const changed = new vscode.EventEmitter<void>();
  const moved = new vscode.EventEmitter<void>();
  const subscriptions: vscode.Disposable[] = [changed, moved];
  let order: readonly string[] = [];
  let last: ViewFolder | undefined;

  const lookup = createLookup(opened, () => order);
  const { all } = lookup;
  const look = (): void => {
    const now = lookup.current();
    if (now === last) return;
    last = now;
    moved.fire();
  };
  const follow = (): void => {
    const [firstBefore] = order;
    order = opened.follow(vscode.workspace.workspaceFolders ?? []);
    // Processes of other extensions have the first folder's variables.
    if (firstBefore !== undefined && firstBefore !== order[0])
      for (const one of all()) if (one.session.lifecycle.status.kind === "ready") void one.begin();
    changed.fire();
    look();
  };
  return {
    get all() {
      return all();
    },
    get current() {
      return lookup.current();
    },
    of: lookup.of,
    tagged: lookup.tagged,
    forEach: opened.forEach,
    onDidChange: changed.event,
    onDidChangeCurrent: moved.event,
    /** Opens the sessions of the current folders, and follows folders that are added or removed. */
    start() {
      follow();
      subscriptions.push(
        vscode.workspace.onDidChangeWorkspaceFolders(follow),
        vscode.window.onDidChangeActiveTextEditor(look),
      );
    },
    /** Resolves when every port is free and all notes are written. */
    async close() {
      vscode.Disposable.from(...subscriptions.splice(0)).dispose();
      order = [];
      await opened.close();
    },
  };
}

function createLookup(opened: OpenSessions, order: () => readonly string[]) {
  const all = (): readonly ViewFolder[] => order().flatMap((id) => opened.get(id) ?? []);
  const sessionOf = (tag: string | undefined): ViewFolder | undefined =>
    tag === undefined ? all()[0] : opened.get(tag);
  const of = (uri: vscode.Uri): ViewFolder | undefined => {
    const subject = readSubjectOfUri(
      uri.scheme === SCHEMES.earlier ? uri.with({ scheme: SCHEMES.document }) : uri,
    );
    if (subject) return sessionOf(subject.folder);
    // A cassette folder may lie elsewhere, also in another folder of the window.
    const recorder = all().find(({ session }) => isRecordingOf(session, uri));
    if (recorder) return recorder;
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    return folder && opened.get(folder.uri.toString());
  };
  return {
    all,
    tagged: sessionOf,
    of,
    current() {
      const active = vscode.window.activeTextEditor?.document.uri;
      return (active && of(active)) ?? all()[0];
    },
  };
}

/** Does not use the deck, because opening a file must not open a deck. */
function isRecordingOf({ folder, settings }: Session, uri: vscode.Uri): boolean {
  const calls = path.join(getCassetteDir(folder.uri.fsPath, settings), "calls") + path.sep;
  return uri.scheme === "file" && uri.fsPath.startsWith(calls);
}

/** Opens the session of a folder. It begins only `after` the one before it at the same place is closed. */
export type OpenFolderView = (folder: vscode.WorkspaceFolder, after: Promise<void>) => ViewFolder;

/** The open sessions by the addresses of their folders, with the resources that live as long as each. */
type OpenSessions = ReturnType<typeof openSessions>;

function openSessions(open: OpenFolderView) {
  /** By id, each with what was done for it, by who did it. */
  const opened = new Map<
    string,
    { readonly one: ViewFolder; readonly parts: Map<object, vscode.Disposable> }
  >();
  const closing = new Map<string, Promise<void>>();
  const followers = new Map<object, (one: ViewFolder) => vscode.Disposable>();

  const add = (folder: vscode.WorkspaceFolder, id: string): void => {
    const one = open(folder, closing.get(id) ?? Promise.resolve());
    const parts = new Map([...followers].map(([by, does]) => [by, does(one)] as const));
    opened.set(id, { one, parts });
  };
  const remove = (id: string): void => {
    const { one, parts } = opened.get(id) ?? {};
    opened.delete(id);
    parts?.forEach((part) => part.dispose());
    if (one) closing.set(id, one.close());
  };
  return {
    get: (id: string) => opened.get(id)?.one,
    /** Closes the sessions of removed folders, and opens those of new ones. Returns the ids in order. */
    follow(folders: readonly vscode.WorkspaceFolder[]) {
      const local = new Map(
        folders.filter(({ uri }) => uri.scheme === "file").map((folder) => [folder.uri.toString(), folder]),
      );
      for (const id of opened.keys()) if (!local.has(id)) remove(id);
      for (const [id, folder] of local) if (!opened.has(id)) add(folder, id);
      return [...local.keys()];
    },
    forEach(this: void, does: (one: ViewFolder) => vscode.Disposable) {
      const by = {};
      followers.set(by, does);
      for (const { one, parts } of opened.values()) parts.set(by, does(one));
      return new vscode.Disposable(() => {
        followers.delete(by);
        for (const { parts } of opened.values()) {
          parts.get(by)?.dispose();
          parts.delete(by);
        }
      });
    },
    async close() {
      for (const id of opened.keys()) remove(id);
      await Promise.allSettled(closing.values());
    },
  };
}
