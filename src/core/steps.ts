import type { TakeTurns } from "./take-turns.ts";

/** Long work that stops after each of its steps: none takes more than some milliseconds, so that others may go first. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all of it now. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does it while others have their turns; where nobody says what a turn is, all of it now. */
export async function finishInTurns<T>(steps: Steps<T>, takeTurns?: TakeTurns): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = takeTurns?.();
    if (turn !== undefined) await turn;
  }
}
