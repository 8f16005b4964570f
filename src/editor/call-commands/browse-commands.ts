import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { COMMANDS, type CommandTable, REMEMBERED, VIEWS } from "../window/ids.ts";
import { GROUPINGS, type Grouping, isGrouping } from "../calls-tree/call-groups-model.ts";
import type { ViewDeps } from "./command-targets.ts";
import { pickOne, askWhileTyped } from "../window/picks.ts";

/** Commands that filter and group the tree. */
export function createBrowseCommands(deps: ViewDeps) {
  const { model, view, memento } = deps;
  const show = (text: string): void => {
    model.shown.filterText = text;
    view.refresh();
  };
  return {
    [COMMANDS.filterCalls]: async (text) => {
      show(typeof text === "string" ? text : await askForFilter(deps, show));
      // Links in documents open the view.
      if (typeof text === "string") await vscode.commands.executeCommand(`${VIEWS.calls}.focus`);
      await memento.update(REMEMBERED.filter, model.shown.filterText);
    },
    [COMMANDS.clearFilter]: async () => {
      show("");
      await memento.update(REMEMBERED.filter, undefined);
    },
    [COMMANDS.groupCalls]: async (newGrouping) => {
      const grouping = isGrouping(newGrouping) ? newGrouping : await askForGrouping(model.shown.grouping);
      if (grouping === undefined) return;
      model.shown.grouping = grouping;
      view.refresh();
      await memento.update(REMEMBERED.grouping, grouping);
    },
  } satisfies Partial<CommandTable>;
}

const GROUPING_TEXTS: Record<Grouping, readonly [label: string, description: string]> = {
  test: [localize("Test"), localize("by test file, then by test")],
  file: [localize("File"), localize("by test file")],
  provider: [localize("Provider"), localize("by the provider that answered")],
  model: [localize("Model"), localize("by the requested model")],
  day: [localize("Day"), localize("by the day of the recording")],
};

async function askForGrouping(current: Grouping): Promise<Grouping | undefined> {
  const items = GROUPINGS.map((grouping) => ({
    icon: grouping === current ? "check" : "blank",
    label: GROUPING_TEXTS[grouping][0],
    description: GROUPING_TEXTS[grouping][1],
    grouping,
  }));
  return (await pickOne(items, { placeholder: localize("Group recordings by") }))?.grouping;
}

/**
 * Asks for a filter and shows its effect while it is typed. Resolves to the typed text even if the box was closed with
 * Escape or by a click on a result: a filter stays until it is cleared.
 */
function askForFilter({ model }: ViewDeps, preview: (text: string) => void): Promise<string> {
  const placeholder = localize('Words, "several words", state:missing, provider:…, model:…, test:…');
  return askWhileTyped({ placeholder, value: model.shown.filterText }, preview);
}
