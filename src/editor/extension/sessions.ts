import * as path from "node:path";
import * as vscode from "vscode";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import { getCassetteDir } from "../session/session-deck.ts";
import type { Sessions } from "../session/folder-session.ts";
import type { Session } from "../session/session.ts";
import { readSubjectOfUri } from "../documents/uris.ts";

/** Opens the session of a folder. It begins only `after` the one before it at the same place is closed. */
type OpenFolderView = (folder: vscode.WorkspaceFolder, after: Promise<void>) => ViewFolder;

/** The sessions of the window's folders on a disk, by the addresses of the folders, in their order. */
export class OwnedSessions implements Sessions<ViewFolder> {
  readonly #open: OpenFolderView;
  readonly #opened = new Map<string, ViewFolder>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #changedCurrent = new vscode.EventEmitter<void>();
  readonly #changedState = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[] = [this.#changed, this.#changedCurrent, this.#changedState];
  readonly onDidChange = this.#changed.event;
  readonly onDidChangeCurrent = this.#changedCurrent.event;
  readonly onDidChangeState = this.#changedState.event;
  #last: ViewFolder | undefined;

  constructor(open: OpenFolderView) {
    this.#open = open;
  }

  get all(): readonly ViewFolder[] {
    return [...this.#opened.values()];
  }

  get current(): ViewFolder | undefined {
    const active = vscode.window.activeTextEditor?.document.uri;
    return (active && this.of(active)) ?? this.all[0];
  }

  of(uri: vscode.Uri): ViewFolder | undefined {
    const subject = readSubjectOfUri(uri);
    if (subject) return this.tagged(subject.folder);
    // A cassette folder may be elsewhere, also in another folder of the window.
    const recorder = this.all.find(({ session }) => isRecordingOf(session, uri));
    if (recorder) return recorder;
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    return folder && this.#opened.get(folder.uri.toString());
  }

  tagged(tag: string | undefined): ViewFolder | undefined {
    return tag === undefined ? this.all[0] : this.#opened.get(tag);
  }

  /** Opens the sessions of the current folders, and follows folders that are added or removed. */
  start(): void {
    const follow = (): void => this.#follow(vscode.workspace.workspaceFolders ?? []);
    follow();
    this.#subscriptions.push(
      vscode.workspace.onDidChangeWorkspaceFolders(follow),
      vscode.window.onDidChangeActiveTextEditor(() => this.#look()),
    );
  }

  /** Resolves when every port is free and all notes are written. */
  async close(): Promise<void> {
    vscode.Disposable.from(...this.#subscriptions.splice(0)).dispose();
    this.#follow([]);
    await Promise.allSettled(this.#closing.values());
  }

  /** Closes the sessions of removed folders, and opens those of new ones. */
  #follow(folders: readonly vscode.WorkspaceFolder[]): void {
    const before = new Map(this.#opened);
    const local = new Map(
      folders.filter(({ uri }) => uri.scheme === "file").map((folder) => [folder.uri.toString(), folder]),
    );
    for (const [id, one] of before) if (!local.has(id)) this.#closing.set(id, one.close());
    this.#opened.clear();
    for (const [id, folder] of local) this.#opened.set(id, before.get(id) ?? this.#add(folder, id));
    // Processes of other extensions have the first folder's variables.
    const [first] = before.values();
    if (first !== undefined && first !== this.all[0])
      for (const one of this.all) if (one.session.lifecycle.status.kind === "ready") void one.begin();
    this.#changed.fire();
    this.#look();
  }

  #add(folder: vscode.WorkspaceFolder, id: string): ViewFolder {
    const one = this.#open(folder, this.#closing.get(id) ?? Promise.resolve());
    one.session.onDidChange(() => this.#changedState.fire());
    return one;
  }

  #look(): void {
    const now = this.current;
    if (now === this.#last) return;
    this.#last = now;
    this.#changedCurrent.fire();
  }
}

/** Does not use the deck, because opening a file must not open a deck. */
function isRecordingOf({ folder, settings }: Session, uri: vscode.Uri): boolean {
  const calls = path.join(getCassetteDir(folder.uri.fsPath, settings), "calls") + path.sep;
  return uri.scheme === "file" && uri.fsPath.startsWith(calls);
}
