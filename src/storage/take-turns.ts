import { setImmediate } from "node:timers/promises";

/** So long work goes on before others get their turn, in milliseconds. */
const STRETCH_MS = 8;

/** For what goes over many files: resolves at once, or after a turn of the event loop where one is due. */
export function createTakeTurns(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < STRETCH_MS) return;
    await setImmediate();
    begun = performance.now();
  };
}
