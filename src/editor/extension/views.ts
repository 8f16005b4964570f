import * as vscode from "vscode";
import { CONTEXTS, REMEMBERED } from "../window/ids.ts";
import type { ViewFolder } from "../calls-tree/calls-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import { isGrouping } from "../calls-tree/call-groups-model.ts";
import type { Shown } from "../calls-tree/calls-model.ts";
import { createCallsView, type CallsView } from "../calls-tree/calls-view.ts";
import { registerDocumentFeatures, registerDocumentShades } from "../documents/document-features.ts";
import { registerDocuments, registerEarlierDocuments } from "../documents/all-documents.ts";
import { createUndoStack, type UndoStack } from "../window/undo-model.ts";

/** What a window has once, whatever its folders: the sidebar's tree, the readable documents, and what can be undone. */
export interface Views extends vscode.Disposable {
  readonly view: CallsView;
  readonly shown: Shown;
  readonly undo: UndoStack;
}

export function registerViews(context: vscode.ExtensionContext, sessions: Sessions<ViewFolder>): Views {
  const shown: Shown = { filterText: "", grouping: "test" };
  restoreView(context.workspaceState, shown);
  const view = createCallsView(sessions, shown);
  const documents = registerDocuments(sessions);
  const undo = createUndoStack(() => {
    void vscode.commands.executeCommand("setContext", CONTEXTS.canUndo, undo.size > 0);
  });
  const pictures = vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, "pictures");
  const parts = vscode.Disposable.from(
    view,
    documents,
    registerEarlierDocuments(sessions),
    registerDocumentFeatures({ sessions, documents, pictures }),
    registerDocumentShades(documents),
  );
  return { view, shown, undo, dispose: () => parts.dispose() };
}

/** Puts back what this workspace was last looking at. */
function restoreView(memento: vscode.Memento, shown: Shown): void {
  const filter = memento.get<unknown>(REMEMBERED.filter);
  const grouping = memento.get<unknown>(REMEMBERED.grouping);
  if (typeof filter === "string") shown.filterText = filter;
  if (isGrouping(grouping)) shown.grouping = grouping;
}
