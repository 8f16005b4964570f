import * as vscode from "vscode";
import type { ViewFolder } from "./calls-model.ts";
import { CONTEXTS } from "../window/ids.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { missingCalls } from "../findings/findings-model.ts";
import type { Sessions } from "../session/folder-session.ts";
import { filterFromText, isFiltering } from "../calls/call-filter-model.ts";
import type { Shown } from "./calls-model.ts";
import type { CallNode } from "../calls/call-node-model.ts";
import { plural } from "../../core/base/plural.ts";
import { type TreeFacts, treeTexts } from "./tree-text-model.ts";

/** What the last look at the lines gave. */
export interface Drawn {
  /** Known once the lines were looked for; false until then. */
  readonly isEmpty: boolean;
  /** Why the lines cannot be shown, where they cannot. */
  readonly failure: string | undefined;
}

/** What is said beside the tree's title and above its lines. */
export function describeTree(
  tree: vscode.TreeView<CallNode>,
  { sessions, shown }: { readonly sessions: Sessions<ViewFolder>; readonly shown: Shown },
  { isEmpty, failure }: Drawn,
): void {
  const missing = total(sessions, ({ session }) => missingCalls(session.state.findings).length);
  const recordings = total(sessions, ({ index }) => index.progress.total);
  const isFiltered = isFiltering(filterFromText(shown.filterText));
  const texts = treeTexts({
    isEmpty,
    failure,
    filter: isFiltered ? shown.filterText : undefined,
    reading: readingOf(sessions),
    pending: total(sessions, ({ index }) => index.searches),
    unreached: unreachedIn(sessions),
    requests: total(sessions, ({ session }) => session.state.requests),
  });
  const broken = total(sessions, ({ index }) => index.broken);
  tree.badge = badgeOf(missing, broken);
  // The editor takes each for a change, and draws changed lines a while later than it would.
  if (tree.description !== texts.description) tree.description = texts.description;
  if (tree.message !== texts.message) tree.message = texts.message;
  void vscode.commands.executeCommand("setContext", CONTEXTS.empty, isEmpty);
  void vscode.commands.executeCommand("setContext", CONTEXTS.filtered, isFiltered);
  void vscode.commands.executeCommand("setContext", CONTEXTS.hasRecordings, recordings > 0);
}

/** What makes tests red. */
function badgeOf(missing: number, broken: number): vscode.ViewBadge | undefined {
  if (missing + broken === 0) return undefined;
  const parts = [
    ...(missing > 0 ? [plural(missing, "missing call")] : []),
    ...(broken > 0 ? [plural(broken, "broken recording")] : []),
  ];
  return { value: missing + broken, tooltip: parts.join(", ") };
}

function total(sessions: Sessions<ViewFolder>, count: (one: ViewFolder) => number): number {
  return sessions.all.reduce((sum, one) => sum + count(one), 0);
}

function readingOf(sessions: Sessions<ViewFolder>): { readonly read: number; readonly total: number } {
  const progress = sessions.all.map(({ index }) => index.progress).filter(({ reading }) => reading);
  return {
    read: progress.reduce((sum, one) => sum + one.read, 0),
    total: progress.reduce((sum, one) => sum + one.total, 0),
  };
}

/** What has a row of its own says it there. */
function unreachedIn(sessions: Sessions<ViewFolder>): TreeFacts["unreached"] {
  const states = sessions.all.map(({ session }) => session.state);
  const silent = states.find(({ unreached }) => unreached !== undefined);
  if (silent?.unreached === undefined || silent.findings.some(({ kind }) => kind === "unreached"))
    return undefined;
  return { what: silent.unreached, why: silent.unreachedWhy, setting: SETTINGS.environmentOfExtensions.key };
}
