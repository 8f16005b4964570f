import { localize } from "../../core/base/localize.ts";
import { explain } from "../../core/base/errors.ts";
import { showError, showInformation } from "../window/messages.ts";
import type { UndoStack, Undoable } from "../window/undo-model.ts";
import { localizeCount } from "../../core/base/plural.ts";
import type { ViewDeps } from "./command-targets.ts";
import type { CallTarget } from "../calls/call-node-model.ts";
import { listFindings } from "../documents/documents.ts";
import { isMissingCall } from "../findings/findings-model.ts";

/** Shows a message about a completed action, with a button that undoes it. */
export function offerUndo(step: Undoable, { undo }: { readonly undo: UndoStack }): void {
  undo.push(step);
  const offer = async (): Promise<void> => {
    const button = localize("Undo");
    if ((await showInformation(step.done, button)) !== button || (await undo.undo(step)) === undefined)
      return;
    if (step.undone !== undefined) void showInformation(step.undone);
  };
  offer().catch((error: unknown) => showError(explain(error)));
}

/** Restores each once, even if one fails and the person tries again. */
export async function restore(removed: { restore(): Promise<void> }[]): Promise<void> {
  while (removed.length > 0) {
    await removed.at(-1)?.restore();
    removed.pop();
  }
}

/** Dismisses findings. They return if the problem happens again or the person undoes the command. */
export function dismiss(targets: readonly CallTarget[], deps: ViewDeps): void {
  const { session } = deps;
  const known = listFindings(targets, deps).filter((one) => session.state.findings.includes(one));
  if (known.length === 0) return;
  session.findings.dismiss(known);
  const done = known.every(isMissingCall)
    ? localizeCount(known.length, "Dismissed {0} missing call.", "Dismissed {0} missing calls.")
    : localizeCount(known.length, "Dismissed {0} problem.", "Dismissed {0} problems.");
  const undo = (): Promise<void> => Promise.resolve(session.findings.restore(known));
  offerUndo({ done, undo }, deps);
}
