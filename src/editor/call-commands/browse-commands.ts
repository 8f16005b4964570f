import type * as vscode from "vscode";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { GROUPINGS, isGrouping, type Grouping } from "../calls-tree/call-groups-model.ts";
import type { Shown } from "../calls-tree/calls-model.ts";
import { askForFilter } from "../calls-tree/filter-pick.ts";
import { settingsOf } from "../settings/settings.ts";
import type { ViewDeps } from "./view-deps.ts";
import { pickOne } from "../window/picks.ts";

const FILTER = "tapedeck.calls.filter";
const GROUPING = "tapedeck.calls.grouping";

/** Puts back what this workspace was last looking at; grouped as the settings say where nobody chose that. */
export function restoreView(memento: vscode.Memento, shown: Shown): void {
  const filter = memento.get<unknown>(FILTER);
  const grouping = memento.get<unknown>(GROUPING);
  if (typeof filter === "string") shown.filterText = filter;
  shown.grouping = isGrouping(grouping) ? grouping : settingsOf(undefined).settings.grouping;
}

/** Commands that choose what the tree shows. */
export function browseCommands(deps: ViewDeps) {
  const { model, view, memento, index } = deps;
  const show = (text: string): void => {
    model.filterText = text;
    view.refresh();
  };
  return {
    [COMMANDS.filterCalls]: async (text) => {
      show(typeof text === "string" ? text : await askForFilter(deps, show));
      await memento.update(FILTER, model.filterText);
    },
    [COMMANDS.clearFilter]: async () => {
      show("");
      await memento.update(FILTER, undefined);
    },
    [COMMANDS.groupCalls]: async (wanted) => {
      const grouping = isGrouping(wanted) ? wanted : await askForGrouping(model.grouping);
      if (grouping === undefined) return;
      model.grouping = grouping;
      view.refresh();
      await memento.update(GROUPING, grouping);
    },
    [COMMANDS.refreshCalls]: async () => {
      deps.caches.refresh();
      await index.refresh();
      view.refresh();
    },
  } satisfies Partial<CommandTable>;
}

const DESCRIPTIONS: Record<Grouping, string> = {
  test: "the test file, then the test",
  file: "the test file",
  provider: "who answered",
  model: "which model was asked",
  day: "when it was recorded",
};

async function askForGrouping(current: Grouping): Promise<Grouping | undefined> {
  const items = GROUPINGS.map((grouping) => ({
    icon: grouping === current ? "check" : "blank",
    label: `${grouping.charAt(0).toUpperCase()}${grouping.slice(1)}`,
    description: DESCRIPTIONS[grouping],
    grouping,
  }));
  return (await pickOne(items, { placeholder: "Group recordings by" }))?.grouping;
}
