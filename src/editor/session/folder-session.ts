import type * as vscode from "vscode";
import type { CommandId } from "../window/ids.ts";
import type { Session } from "./session.ts";

/** Tapedeck in one folder. Documents and views add their own parts. */
export interface FolderSession {
  readonly session: Session;
  /** Does any command of the extension for this folder. */
  command(id: CommandId, ...args: readonly unknown[]): Promise<unknown>;
  /** Starts Tapedeck here if it is wanted, e.g. after another folder became the first one. */
  begin(): Promise<void>;
  /** Resolves when the port is free and all notes are written. */
  close(): Promise<void>;
}

/** The sessions of a window: one for each folder on a disk, and ways to find the session of a file or tag. */
export interface Sessions<Folder extends FolderSession = FolderSession> {
  /** In the order of the workspace's folders. */
  readonly all: readonly Folder[];
  /** The session of the active editor's folder, or else of the first one; undefined in a window without a folder. */
  readonly current: Folder | undefined;
  /**
   * Finds the folder of a file: the deepest one that contains it, or the one whose recording it is. For a readable
   * document, finds the folder of its call. Undefined if the file belongs to none.
   */
  of(uri: vscode.Uri): Folder | undefined;
  /** Finds a folder by its tag in commands and addresses; undefined means the only folder. */
  tagged(tag: string | undefined): Folder | undefined;
  /** Fires when folders were added or removed. */
  readonly onDidChange: vscode.Event<void>;
  readonly onDidChangeCurrent: vscode.Event<void>;
  readonly onDidChangeState: vscode.Event<void>;
}
