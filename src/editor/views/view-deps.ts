import type * as vscode from "vscode";
import type { Caches } from "../metagpt/caches.ts";
import type { Session } from "../session.ts";
import type { CallsModel } from "./calls-model.ts";
import type { CallNode } from "./call-nodes-model.ts";
import type { CallTarget } from "./call-target-model.ts";
import type { Documents } from "./documents.ts";
import type { RecordingIndex } from "./recording-index-model.ts";
import type { UndoStack } from "./undo-model.ts";

/** The tree, as far as it is one folder's. */
export interface FolderView {
  /** Shows the line of a call without taking the focus; false where it is filtered out or gone. */
  reveal(target: CallTarget): Promise<boolean>;
  readonly selection: readonly CallNode[];
  /** What a line that a command was given is by now. */
  current(node: CallNode): CallNode;
  readonly visible: boolean;
  refresh(): void;
}

/** What the commands on one folder's calls work with. */
export interface ViewDeps {
  readonly session: Session;
  readonly memento: vscode.Memento;
  readonly index: RecordingIndex;
  readonly model: CallsModel;
  readonly view: FolderView;
  readonly documents: Documents;
  readonly undo: UndoStack;
  readonly caches: Caches;
}
