import { explain } from "../../core/base/errors.ts";
import { sayError, sayInformation } from "../window/messages.ts";
import type { Undoable, UndoStack } from "../window/undo-model.ts";

/** Says what was done, with a button that takes it back. */
export function offerUndo(step: Undoable, { undo }: { readonly undo: UndoStack }): void {
  undo.push(step);
  const offer = async (): Promise<void> => {
    const answer = await sayInformation(step.done, "Undo");
    if (answer !== "Undo" || (await undo.undo(step)) === undefined) return;
    if (step.undone !== undefined) void sayInformation(step.undone);
  };
  offer().catch((error: unknown) => sayError(explain(error)));
}

/** Each once, also where one in the middle fails and the person tries again. */
export async function restore(removed: { restore(): Promise<void> }[]): Promise<void> {
  while (removed.length > 0) {
    await removed.at(-1)?.restore();
    removed.pop();
  }
}
