import { findingText } from "../../core/finding.ts";
import * as vscode from "vscode";
import { plural } from "../../core/plural.ts";
import { visibleLine } from "../../core/view/visible.ts";
import type { CallNode } from "../calls-tree/call-node-model.ts";
import { addressArguments } from "../window/addressed-model.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { flashStatus } from "../window/messages.ts";
import { targetsFromArguments } from "./call-target-model.ts";
import { dismiss } from "../findings/finding-commands.ts";
import { isMissingCall } from "../findings/findings-model.ts";
import { discard, pickSeveral, remove } from "./keep-commands.ts";
import type { ViewDeps } from "./view-deps.ts";

/** What the keys for deleting and copying do on the selected rows of the view. */
export function rowCommands(deps: ViewDeps) {
  return {
    [COMMANDS.removeRows]: () => removeRows(deps.view.selection, deps),
    [COMMANDS.copyRows]: async () => {
      const rows = deps.view.selection;
      if (rows.length === 0) return;
      await vscode.env.clipboard.writeText(rows.map(rowText).join("\n"));
      flashStatus("copy", `Copied ${plural(rows.length, "row")}`);
    },
  } satisfies Partial<CommandTable>;
}

/** Misses and failures are dismissed, new recordings discarded, others deleted; of a group a person picks which. */
async function removeRows(rows: readonly CallNode[], deps: ViewDeps): Promise<void> {
  const { session } = deps;
  const targets = targetsFromArguments([rows]);
  dismiss(
    targets.flatMap((one) => ("finding" in one ? one.finding : [])),
    deps,
  );
  for (const row of rows)
    if (row.subject.kind === "cached" && session.trusted)
      await vscode.commands.executeCommand(COMMANDS.delete, ...addressArguments([row], session.tag));
  if (!session.trusted) return;
  const entries = targets.flatMap((one) => ("entry" in one ? [one.entry] : []));
  const isGroup = rows.some(({ subject: { kind } }) => kind === "group" || kind === "section");
  const chosen = isGroup ? await pickSeveral(entries, "Delete these recordings", deps) : entries;
  const isNew = (entry: string): boolean => session.state.candidates.has(entry);
  await discard(chosen.filter(isNew), deps);
  await remove(
    chosen.filter((entry) => !isNew(entry)),
    deps,
  );
}

/** As it reads in the view; of what went wrong all that is known. */
function rowText({ label, description, subject }: CallNode): string {
  if (subject.kind === "finding" && !isMissingCall(subject.finding)) return findingText(subject.finding);
  return visibleLine([label, description].filter(Boolean).join("  "));
}
