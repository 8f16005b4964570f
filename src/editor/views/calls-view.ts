import * as vscode from "vscode";
import { explain } from "../../core/errors.ts";
import { CONTEXTS, VIEWS } from "../ids.ts";
import type { Session } from "../session.ts";
import type { CallNode } from "./call-nodes-model.ts";
import { plural } from "./call-nodes-model.ts";
import type { CallTarget } from "./call-target-model.ts";
import type { CallsModel } from "./calls-model.ts";
import type { DeepSearch } from "./deep-search-model.ts";
import type { RecordingIndex } from "./recording-index-model.ts";
import { oneAtATime, throttle } from "./throttle.ts";
import { itemFromNode, tooltipOf } from "./tree-item.ts";
import type { TreeSync } from "./tree-sync-model.ts";
import { createTreeSync } from "./tree-sync-model.ts";

/** The tree of calls in the sidebar. */
export interface CallsView extends vscode.Disposable {
  /** Shows the line of a call without taking the focus; false where it is filtered out or gone. */
  reveal(target: CallTarget): Promise<boolean>;
  readonly selection: readonly CallNode[];
  /** What a line that a command was given is by now. */
  current(node: CallNode): CallNode;
  readonly visible: boolean;
  /** Shows what the model's filter and grouping say now. */
  refresh(): void;
}

export interface CallsViewParts {
  readonly session: Session;
  readonly model: CallsModel;
  readonly index: RecordingIndex;
  readonly deep: DeepSearch;
}

const REFRESH_MS = 300;
/** While many recordings are read: drawing all groups again has its price. */
const SLOW_REFRESH_MS = 1_500;
const MANY = 5_000;
const AGE_MS = 60_000;

export function createCallsView(parts: CallsViewParts): CallsView {
  const { session, model, index, deep } = parts;
  const changed = new vscode.EventEmitter<CallNode[] | undefined>();
  const sync = createTreeSync(() => model.roots());
  let failure: string | undefined;
  const tree = vscode.window.createTreeView(VIEWS.calls, {
    treeDataProvider: createProvider(parts, { sync, onDidChange: changed.event }),
    canSelectMany: true,
    showCollapseAll: true,
  });
  const draw = oneAtATime(async () => {
    if (!tree.visible) return;
    failure = await drawChanges(sync, changed);
    describeView(tree, parts, failure);
  });
  const isMuchToRead = (): boolean => index.progress.reading && index.progress.total > MANY;
  const update = throttle(
    () => {
      describeView(tree, parts, failure);
      draw();
    },
    () => (isMuchToRead() ? SLOW_REFRESH_MS : REFRESH_MS),
  );
  const ages = setInterval(update, AGE_MS);
  const subscriptions = [
    tree,
    changed,
    update,
    { dispose: () => clearInterval(ages) },
    session.onDidChange(update),
    index.onDidChange(update),
    deep.onDidChange(update),
    tree.onDidChangeVisibility(update),
    tree.onDidExpandElement(({ element }) => model.opened.set(element.id, true)),
    tree.onDidCollapseElement(({ element }) => model.opened.set(element.id, false)),
  ];
  describeView(tree, parts, failure);
  return {
    get selection() {
      return tree.selection.map((node) => sync.current(node));
    },
    get visible() {
      return tree.visible;
    },
    current: (node) => sync.current(node),
    refresh: update,
    reveal: (target) => reveal(target, model, tree),
    dispose: () => vscode.Disposable.from(...subscriptions).dispose(),
  };
}

/** Why the folder cannot be shown, where it cannot. */
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
  { session, model, index }: CallsViewParts,
  {
    sync,
    onDidChange,
  }: { readonly sync: TreeSync; readonly onDidChange: vscode.Event<CallNode[] | undefined> },
): vscode.TreeDataProvider<CallNode> {
  return {
    onDidChangeTreeData: onDidChange,
    getParent: (node) => sync.parent(node),
    getTreeItem: (node) => itemFromNode(sync.draw(node), { session, isOpen: model.opened.get(node.id) }),
    resolveTreeItem: async (item, node) => {
      item.tooltip = await tooltipOf(sync.current(node), { session, index });
      return item;
    },
    // Why it fails is said above the tree.
    getChildren: (node) => sync.children(node).catch(() => []),
  };
}

async function reveal(
  target: CallTarget,
  model: CallsModel,
  tree: vscode.TreeView<CallNode>,
): Promise<boolean> {
  const node = await model.find(target);
  if (node === undefined) return false;
  await tree.reveal(node, { select: true, focus: false, expand: false });
  return true;
}

function describeView(
  tree: vscode.TreeView<CallNode>,
  parts: CallsViewParts,
  failure: string | undefined,
): void {
  const { session, model } = parts;
  const { state } = session;
  const missing = state.missing.length;
  const isFiltered = model.isFiltered();
  tree.badge = missing === 0 ? undefined : { value: missing, tooltip: plural(missing, "missing call") };
  tree.description = isFiltered ? model.filterText : "";
  tree.message = [failure, isFiltered ? `Calls with: ${model.filterText}` : undefined, messageOf(parts)]
    .filter((line) => line !== undefined)
    .join("\n");
  void vscode.commands.executeCommand("setContext", CONTEXTS.filtered, isFiltered);
  void vscode.commands.executeCommand("setContext", CONTEXTS.hasRecordings, parts.index.progress.total > 0);
}

/** Only what a person would otherwise wonder about. */
function messageOf({ session, index, deep }: CallsViewParts): string | undefined {
  const { read, total, reading } = index.progress;
  if (reading && read < total)
    return `Reading recordings: ${read.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  if (deep.pending > 0) return `Searching long recordings: ${plural(deep.pending, "file")} left`;
  const { unreached, requests } = session.state;
  if (unreached !== undefined)
    return `“${unreached}” made no call that reached Tapedeck. See whether its client has an address of its own; a terminal that is older than Tapedeck here needs a new one.`;
  return requests > 0 ? `${plural(requests, "request")} reached Tapedeck` : undefined;
}
