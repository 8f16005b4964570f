import * as vscode from "vscode";
import type { FolderSession } from "../session/folder-session.ts";

/** Opens the session of a folder. It begins only `after` the one before it at the same place is closed. */
export type OpenFolder = (folder: vscode.WorkspaceFolder, after: Promise<void>) => FolderSession;

/** The sessions that are open, by the addresses of their folders, and what each has for as long as it is. */
export interface OpenSessions {
  get(id: string): FolderSession | undefined;
  /** Closes what is no folder any more, opens what is new and leaves the others alone. Gives the ids in order. */
  follow(folders: readonly vscode.WorkspaceFolder[]): readonly string[];
  /** @see Sessions.forEach */
  readonly forEach: (does: (one: FolderSession) => vscode.Disposable) => vscode.Disposable;
  close(): Promise<void>;
}

export function openSessions(open: OpenFolder): OpenSessions {
  /** By id, each with what was done for it, by who did it. */
  const opened = new Map<
    string,
    { readonly one: FolderSession; readonly parts: Map<object, vscode.Disposable> }
  >();
  const closing = new Map<string, Promise<void>>();
  const followers = new Map<object, (one: FolderSession) => vscode.Disposable>();

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
    get: (id) => opened.get(id)?.one,
    follow(folders) {
      const local = new Map(
        folders.filter(({ uri }) => uri.scheme === "file").map((folder) => [folder.uri.toString(), folder]),
      );
      for (const id of opened.keys()) if (!local.has(id)) remove(id);
      for (const [id, folder] of local) if (!opened.has(id)) add(folder, id);
      return [...local.keys()];
    },
    forEach(does) {
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
