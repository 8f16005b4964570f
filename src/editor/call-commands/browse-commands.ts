import * as vscode from "vscode";
import { COMMANDS, REMEMBERED, VIEWS, type CommandTable } from "../window/ids.ts";
import { GROUPINGS, isGrouping, type Grouping } from "../calls-tree/call-groups-model.ts";
import { askForFilter } from "./filter-pick.ts";
import type { ViewDeps } from "./view-deps.ts";
import { pickOne } from "../window/picks.ts";

/** Commands that choose what the tree shows. */
export function browseCommands(deps: ViewDeps) {
  const { model, view, memento } = deps;
  const show = (text: string): void => {
    model.filterText = text;
    view.refresh();
  };
  return {
    [COMMANDS.filterCalls]: async (text) => {
      show(typeof text === "string" ? text : await askForFilter(deps, show));
      // A link in a document leads to the view.
      if (typeof text === "string") await vscode.commands.executeCommand(`${VIEWS.calls}.focus`);
      await memento.update(REMEMBERED.filter, model.filterText);
    },
    [COMMANDS.clearFilter]: async () => {
      show("");
      await memento.update(REMEMBERED.filter, undefined);
    },
    [COMMANDS.groupCalls]: async (wanted) => {
      const grouping = isGrouping(wanted) ? wanted : await askForGrouping(model.grouping);
      if (grouping === undefined) return;
      model.grouping = grouping;
      view.refresh();
      await memento.update(REMEMBERED.grouping, grouping);
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
