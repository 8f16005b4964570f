import type * as vscode from "vscode";
import type { Caches } from "../metagpt/caches.ts";
import type { Session } from "../session.ts";
import type { CallsModel } from "./calls-model.ts";
import type { Documents } from "./documents.ts";
import type { FolderTree } from "./folder-tree.ts";
import type { RecordingIndex } from "./recording-index-model.ts";
import type { UndoStack } from "./undo-model.ts";
import type { WrittenReplies } from "./written-replies.ts";

/** What the commands on one folder's calls work with. */
export interface ViewDeps {
  readonly session: Session;
  readonly memento: vscode.Memento;
  readonly index: RecordingIndex;
  readonly model: CallsModel;
  readonly view: FolderTree;
  readonly documents: Documents;
  readonly undo: UndoStack;
  readonly caches: Caches;
  readonly written: WrittenReplies;
}
