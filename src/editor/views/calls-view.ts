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
import { throttle } from "./throttle.ts";
import { itemFromNode, tooltipOf } from "./tree-item.ts";

/** The tree of calls in the sidebar. */
export interface CallsView extends vscode.Disposable {
  /** Shows the line of a call without taking the focus; false where it is filtered out or gone. */
  reveal(target: CallTarget): Promise<boolean>;
  readonly selection: readonly CallNode[];
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
  const changed = new vscode.EventEmitter<undefined>();
  let failure: string | undefined;
  const provider = createProvider(parts, changed.event, (failed) => {
    failure = failed;
    describeView(tree, parts, failure);
  });
  const tree = vscode.window.createTreeView(VIEWS.calls, {
    treeDataProvider: provider,
    canSelectMany: true,
    showCollapseAll: true,
  });
  const isMuchToRead = (): boolean => index.progress.reading && index.progress.total > MANY;
  const update = throttle(
    () => {
      describeView(tree, parts, failure);
      if (tree.visible) changed.fire(undefined);
    },
    () => (isMuchToRead() ? SLOW_REFRESH_MS : REFRESH_MS),
  );
  const ages = setInterval(() => tree.visible && changed.fire(undefined), AGE_MS);
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
      return tree.selection;
    },
    get visible() {
      return tree.visible;
    },
    refresh: update,
    reveal: (target) => reveal(target, model, tree),
    dispose: () => vscode.Disposable.from(...subscriptions).dispose(),
  };
}

function createProvider(
  { session, model, index }: CallsViewParts,
  onDidChangeTreeData: vscode.Event<undefined>,
  onRead: (failure: string | undefined) => void,
): vscode.TreeDataProvider<CallNode> {
  const roots = async (): Promise<readonly CallNode[]> => {
    try {
      const found = await model.roots();
      onRead(undefined);
      return found;
    } catch (error) {
      onRead(explain(error));
      return [];
    }
  };
  return {
    onDidChangeTreeData,
    getParent: (node) => node.parent,
    getTreeItem: (node) => itemFromNode(node, session),
    resolveTreeItem: async (item, node) => {
      item.tooltip = await tooltipOf(node, { session, index });
      return item;
    },
    getChildren: async (node) => [...(await (node ? node.children() : roots()))],
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
  // Not as description: a view that is alone in its container does not show one.
  tree.title = state.requests > 0 ? `Calls · ${plural(state.requests, "request")} served` : "Calls";
  tree.badge = missing === 0 ? undefined : { value: missing, tooltip: plural(missing, "missing call") };
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
  const { unreached } = session.state;
  if (unreached === undefined) return undefined;
  return `“${unreached}” made no call that reached Tapedeck. Open a new terminal for it, or see whether its client has an address of its own.`;
}
