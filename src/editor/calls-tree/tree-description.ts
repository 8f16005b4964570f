import * as vscode from "vscode";
import type { FolderSession } from "../session/folder-session.ts";
import { CONTEXTS } from "../window/ids.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import type { Sessions } from "../window/sessions.ts";
import { filterFromText, isFiltering } from "./call-filter-model.ts";
import type { Shown } from "./calls-model.ts";
import { plainLine } from "../window/messages-model.ts";
import type { CallNode } from "./call-node-model.ts";
import { plural } from "../../core/plural.ts";

/** What is said beside the tree's title and above its lines. `failure`: why the lines cannot be shown, where they cannot. */
export function describeTree(
  tree: vscode.TreeView<CallNode>,
  { sessions, shown }: { readonly sessions: Sessions; readonly shown: Shown },
  failure: string | undefined,
): void {
  const missing = total(sessions, ({ session }) => session.state.missing.length);
  const recordings = total(sessions, ({ index }) => index.progress.total);
  const { filterText } = shown;
  const isFiltered = isFiltering(filterFromText(filterText));
  tree.badge = missing === 0 ? undefined : { value: missing, tooltip: plural(missing, "missing call") };
  tree.description = isFiltered ? plainLine(filterText) : "";
  tree.message = [failure, isFiltered ? `Calls with: ${filterText}` : undefined, messageOf(sessions)]
    .filter((line) => line !== undefined)
    .map(plainLine)
    .join("\n");
  void vscode.commands.executeCommand("setContext", CONTEXTS.filtered, isFiltered);
  void vscode.commands.executeCommand("setContext", CONTEXTS.hasRecordings, recordings > 0);
}

function total(sessions: Sessions, count: (one: FolderSession) => number): number {
  return sessions.all.reduce((sum, one) => sum + count(one), 0);
}

/** Only what a person would otherwise wonder about. */
function messageOf(sessions: Sessions): string | undefined {
  const progress = sessions.all.map(({ index }) => index.progress).filter(({ reading }) => reading);
  const read = progress.reduce((sum, one) => sum + one.read, 0);
  const all = progress.reduce((sum, one) => sum + one.total, 0);
  if (read < all) return `Reading recordings: ${read.toLocaleString("en")} of ${all.toLocaleString("en")}`;
  const pending = total(sessions, ({ deep }) => deep.pending);
  if (pending > 0) return `Searching long recordings: ${plural(pending, "file")} left`;
  const unreached = sessions.all
    .map(({ session }) => session.state.unreached)
    .find((one) => one !== undefined);
  if (unreached !== undefined)
    return `“${unreached}” made no call that reached Tapedeck. See whether its client has an address of its own; a terminal that is older than Tapedeck here needs a new one, and what a test explorer starts the setting ${SETTINGS.environmentOfExtensions.key}.`;
  const requests = total(sessions, ({ session }) => session.state.requests);
  return requests > 0 ? `${plural(requests, "request")} reached Tapedeck` : undefined;
}
