/** A completed action that can be undone once. */
export interface Undoable {
  /** Message after the action: "Deleted 3 recordings." */
  readonly done: string;
  /** Message after an undo that takes a while: "Restored 3 recordings." */
  readonly undone?: string;
  undo(): Promise<void>;
}

/** The last actions that can be undone, newest last. */
export type UndoStack = ReturnType<typeof createUndoStack>;

const REMEMBERED = 20;

export function createUndoStack(onDidChange: () => void) {
  const steps: Undoable[] = [];
  return {
    get size() {
      return steps.length;
    },
    push(step: Undoable) {
      steps.push(step);
      if (steps.length > REMEMBERED) steps.shift();
      onDidChange();
    },
    /** Undoes this step, or the newest one; undefined if there is none. A step that fails stays. */
    async undo(step: Undoable | undefined = steps.at(-1)) {
      if (step === undefined || !steps.includes(step)) return undefined;
      await step.undo();
      steps.splice(steps.indexOf(step), 1);
      onDidChange();
      return step;
    },
  };
}
