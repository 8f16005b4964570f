import * as vscode from "vscode";
import { actionsOf } from "../documents/document-actions.ts";
import { addressArguments } from "../window/addressed-model.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { pickOne } from "../window/picks.ts";
import { targetsOf } from "./command-targets.ts";
import type { ViewDeps } from "./view-deps.ts";

/** The actions of a missing call that are not its first, to be picked from. */
export function moreActionsCommand(deps: ViewDeps) {
  return {
    [COMMANDS.moreActions]: async (...args) => {
      const [target] = targetsOf(args, deps);
      if (target === undefined) return;
      const [, ...others] = actionsOf(target, deps);
      const items = others.map((action) => {
        const [, icon = "blank", label = action.title] = /^\$\(([\w-]+)\) (.*)$/u.exec(action.title) ?? [];
        return { icon, label, detail: action.tooltip, action };
      });
      const picked = await pickOne(items, { placeholder: "What to do about this missing call" });
      if (picked === undefined) return;
      const { command, arguments: of } = picked.action;
      await vscode.commands.executeCommand(command, ...addressArguments(of, deps.session.tag));
    },
  } satisfies Partial<CommandTable>;
}
