import { setImmediate } from "node:timers/promises";
import type { TakeTurns } from "../../core/take-turns.ts";

/** So long work goes on before others get their turn, in milliseconds. */
const STRETCH_MS = 8;

/**
 * Costs a look at the clock, so that it may be asked at every step: a hundred thousand of them take some 10 ms.
 * `rest`: what a turn is, where more than the next one of the event loop should come first.
 */
export function createTakeTurns(rest: () => Promise<unknown> = () => setImmediate()): TakeTurns {
  let begun = performance.now();
  const turn = async (): Promise<void> => {
    await rest();
    begun = performance.now();
  };
  return () => (performance.now() - begun < STRETCH_MS ? undefined : turn());
}
