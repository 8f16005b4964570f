import type * as vscode from "vscode";
import type { CommandId } from "../window/ids.ts";
import type { Session } from "./session.ts";

/** Tapedeck in one folder. Documents and views add their own parts. */
export interface FolderSession {
  readonly session: Session;
  /** Does any command of the extension for this folder. */
  command(id: CommandId, ...args: readonly unknown[]): Promise<unknown>;
  /** Looks again at what is wanted here, e.g. after another folder became the first one. */
  begin(): Promise<void>;
  /** Resolves when the port is free and what is remembered is written. */
  close(): Promise<void>;
}

/** The sessions of a window: one for each folder that lies on a disk, and the way from whatever to its session. */
export interface Sessions<Folder extends FolderSession = FolderSession> {
  /** In the order of the workspace's folders. */
  readonly all: readonly Folder[];
  /** Of the active editor's folder, else of the first one; undefined in a window without a folder. */
  readonly current: Folder | undefined;
  /**
   * Of a file: the folder it lies in (the deepest one) or whose recording it is. Of a readable document: the folder of
   * its call. Undefined where it belongs to none.
   */
  of(uri: vscode.Uri): Folder | undefined;
  /** By the name that commands and addresses give a folder; undefined stands for the only one. */
  tagged(tag: string | undefined): Folder | undefined;
  /** Does something for every session, those that come later as well; what it gives is disposed of with the session. */
  forEach(does: (one: Folder) => vscode.Disposable): vscode.Disposable;
  /** Folders came or went. */
  readonly onDidChange: vscode.Event<void>;
  readonly onDidChangeCurrent: vscode.Event<void>;
}
