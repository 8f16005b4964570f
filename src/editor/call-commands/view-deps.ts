import type * as vscode from "vscode";
import type { Caches } from "../metagpt/caches.ts";
import type { Session } from "../session/session.ts";
import type { CallsModel } from "../calls-tree/calls-model.ts";
import type { Documents } from "../documents/documents.ts";
import type { FolderTree } from "../calls-tree/calls-view.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { UndoStack } from "../window/undo-model.ts";
import type { WrittenReplies } from "./written-replies.ts";

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
