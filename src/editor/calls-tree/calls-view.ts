import * as vscode from "vscode";
import { explain } from "../../core/base/errors.ts";
import { VIEWS } from "../window/ids.ts";
import type { TreeChoices, ViewFolder } from "./calls-model.ts";
import { listMissingCalls } from "../findings/findings-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import { type TreeFolder, findInFolder, createFolderRoots, createIdInFolder } from "./folder-nodes-model.ts";
import { runOneAtATime, throttle } from "../window/throttle.ts";
import { describeTree, createTreeItem, createTooltip } from "./tree-item.ts";
import { type TreeSync, createTreeSync } from "./tree-sync-model.ts";
import type { CallNode, CallTarget } from "../calls/call-node-model.ts";

export type CallsView = ReturnType<typeof createCallsView>;

const REFRESH_MS = 300;
/** Interval while many recordings are being read, because drawing all groups again is slow. */
const SLOW_REFRESH_MS = 1_500;
const MANY = 5_000;
const AGE_MS = 60_000;

export function createCallsView(sessions: Sessions<ViewFolder>, shown: TreeChoices) {
  const changed = new vscode.EventEmitter<CallNode[] | undefined>();
  /** Folders that a person opened or closed. Their models store the state of the lines in them. */
  const opened = new Map<string, boolean>();
  let isEmpty = false;
  let failure: string | undefined;
  const sync = createTreeSync(async () => {
    const roots = await createFolderRoots(sessions.all.map(treeFolder), opened);
    isEmpty = roots.length === 0;
    return roots;
  });
  const parts = { sessions, sync, shown, opened };
  const describe = (): void => describeTree(tree, parts, { isEmpty, failure });
  const tree = vscode.window.createTreeView(VIEWS.calls, {
    treeDataProvider: createProvider(parts, changed.event),
    canSelectMany: true,
    showCollapseAll: true,
  });
  const draw = runOneAtATime(async () => {
    if (tree.visible) failure = await drawChanges(sync, changed);
    describe();
  });
  const update = throttle(draw, () => (isMuchToRead(sessions) ? SLOW_REFRESH_MS : REFRESH_MS));
  const watching = watchTree(tree, parts, update);
  describe();
  return {
    get selection() {
      return tree.selection.map(sync.current);
    },
    selectionOfKey: async () => (await readSelectionOfKey(tree)).map(sync.current),
    get visible() {
      return tree.visible;
    },
    /** Returns the current state of a line that a command received. */
    current: sync.current,
    refresh: update,
    /** Shows the line of a call without taking the focus; false if it is filtered out or gone. */
    async reveal(target: CallTarget, tag: string | undefined) {
      const one = sessions.tagged(tag);
      const options = { isOnly: sessions.all.length === 1, opened };
      const node = one && (await findInFolder(treeFolder(one), target, options));
      if (node === undefined) return false;
      await tree.reveal(node, { select: true, focus: false, expand: false });
      return true;
    },
    dispose: () => vscode.Disposable.from(tree, changed, update, watching).dispose(),
  };
}

const TOGGLE_FOCUSED = "list.toggleSelection";

/**
 * Returns the lines that a key acts on: the selected ones, or the focused line if it is not one of them. VS Code reports
 * only the selection, so the focused line is added to it and removed again.
 */
async function readSelectionOfKey(tree: vscode.TreeView<CallNode>): Promise<readonly CallNode[]> {
  const before = tree.selection;
  await vscode.commands.executeCommand(TOGGLE_FOCUSED);
  const focused = tree.selection.find((node) => !before.includes(node));
  await vscode.commands.executeCommand(TOGGLE_FOCUSED);
  return focused === undefined ? before : [focused];
}

interface TreeParts {
  readonly sessions: Sessions<ViewFolder>;
  readonly sync: TreeSync;
  readonly shown: TreeChoices;
  readonly opened: Map<string, boolean>;
}

/** Updates the tree after changes, and stores which lines a person opens and closes. */
function watchTree(tree: vscode.TreeView<CallNode>, parts: TreeParts, update: () => void): vscode.Disposable {
  const { sessions } = parts;
  const ages = setInterval(update, AGE_MS);
  const keep = (node: CallNode, isOpen: boolean): void =>
    void openedOf(node, parts)?.set(idInTree(node), isOpen);
  return vscode.Disposable.from(
    { dispose: () => clearInterval(ages) },
    sessions.onDidChange(update),
    sessions.onDidChangeState(update),
    tree.onDidChangeVisibility(update),
    tree.onDidExpandElement(({ element }) => keep(element, true)),
    tree.onDidCollapseElement(({ element }) => keep(element, false)),
  );
}

function treeFolder({ session, model }: ViewFolder): TreeFolder {
  const { folder, mode, state } = session;
  return {
    tag: session.tag ?? "",
    name: folder.name,
    mode: session.lifecycle.status.kind === "ready" ? mode : undefined,
    missing: listMissingCalls(state.findings).length,
    model,
  };
}

function openedOf(node: CallNode, { sessions, opened }: TreeParts): Map<string, boolean> | undefined {
  return node.subject.kind === "folder" ? opened : sessions.tagged(node.folder)?.model.opened;
}

const idInTree = (node: CallNode): string =>
  node.subject.kind === "folder" ? node.id : createIdInFolder(node);

function isMuchToRead(sessions: Sessions<ViewFolder>): boolean {
  return sessions.all.some(({ index: { progress } }) => progress.reading && progress.total > MANY);
}

/** Draws what changed. Resolves to the reason if the folder cannot be shown. */
async function drawChanges(
  sync: TreeSync,
  changed: vscode.EventEmitter<CallNode[] | undefined>,
): Promise<string | undefined> {
  try {
    const lines = await sync.changes();
    const known = lines.filter((line) => line !== undefined);
    if (known.length < lines.length) changed.fire(undefined);
    else if (known.length > 0) changed.fire(known);
    return undefined;
  } catch (error) {
    changed.fire(undefined);
    return explain(error);
  }
}

function createProvider(
  parts: TreeParts,
  onDidChangeTreeData: vscode.Event<CallNode[] | undefined>,
): vscode.TreeDataProvider<CallNode> {
  const { sync, sessions } = parts;
  return {
    onDidChangeTreeData,
    getParent: (node) => sync.parent(node),
    getTreeItem(node) {
      const isOpen = openedOf(node, parts)?.get(idInTree(node));
      return createTreeItem(sync.draw(node), { own: sessions.tagged(node.folder), isOpen });
    },
    resolveTreeItem: async (item, node) => {
      const own = sessions.tagged(node.folder);
      if (own) item.tooltip = await createTooltip(sync.current(node), own);
      return item;
    },
    // The message above the tree shows the reason.
    getChildren: (node) => sync.children(node).catch(() => []),
  };
}
