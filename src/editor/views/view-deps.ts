import type * as vscode from "vscode";
import type { CommandHandler } from "../commands.ts";
import type { CommandId } from "../ids.ts";
import type { Caches } from "../metagpt/caches.ts";
import type { Session } from "../session.ts";
import type { CallsModel } from "./calls-model.ts";
import type { CallsView } from "./calls-view.ts";
import type { Documents } from "./documents.ts";
import type { RecordingIndex } from "./recording-index-model.ts";
import type { UndoStack } from "./undo-model.ts";

/** What the commands on calls work with. */
export interface ViewDeps {
  readonly session: Session;
  readonly memento: vscode.Memento;
  readonly index: RecordingIndex;
  readonly model: CallsModel;
  readonly view: CallsView;
  readonly documents: Documents;
  readonly undo: UndoStack;
  readonly caches: Caches;
}

/** Commands by their ids, as `registerCommands` takes them. */
export type CommandTable = Readonly<Partial<Record<CommandId, CommandHandler>>>;
