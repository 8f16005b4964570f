import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { shortenLabel } from "../../core/view/row.ts";
import { makeVisibleLine } from "../../core/base/visible.ts";
import { type ViewDeps, listTargets } from "./command-targets.ts";
import { listFindings } from "../documents/documents.ts";
import { COMMANDS, type CommandTable, createArguments } from "../window/ids.ts";
import { pickOne } from "../window/picks.ts";
import { dismiss } from "./offer-undo.ts";
import { listFindingActions } from "../findings/finding-actions-model.ts";
import { type OpenFinding, isMissingCall } from "../findings/findings-model.ts";

export function createFindingCommands(deps: ViewDeps) {
  return {
    [COMMANDS.fix]: async (...args) => {
      const [finding] = listFindings(listTargets(args, deps), deps);
      if (finding) await fix(finding, deps);
    },
    [COMMANDS.dismiss]: (...args) => dismiss(listTargets(args, deps), deps),
  } satisfies Partial<CommandTable>;
}

/** Lets a person pick an action. The page of a missing call has the first action as a button, so it is not listed. */
async function fix(finding: OpenFinding, { session }: ViewDeps): Promise<void> {
  const facts = { mayRun: session.trusted };
  const actions = listFindingActions(finding, facts);
  const isMissing = isMissingCall(finding);
  const items = (isMissing ? actions.slice(1) : actions).map((action) => ({
    icon: action.icon,
    label: action.title,
    detail: action.tooltip,
    action,
  }));
  const picked = await pickOne(items, {
    title: shortenLabel(finding.label),
    placeholder: isMissing ? localize("Select what to do about this call") : makeVisibleLine(finding.why),
  });
  if (picked === undefined) return;
  const { command, arguments: of } = picked.action;
  await vscode.commands.executeCommand(command, ...createArguments(command, of, session.tag));
}
