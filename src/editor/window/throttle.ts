import type { Disposable } from "../../core/call/call.ts";

interface Throttle extends Disposable {
  (): void;
}

/** Runs `action` at once, and then at most once every `everyMs()`; the last request is never lost. */
export function throttle(action: () => void, everyMs: () => number): Throttle {
  let timer: NodeJS.Timeout | undefined;
  let again = false;
  const run = (): void => {
    again = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (again) run();
    }, everyMs());
    action();
  };
  const request = (): void => {
    if (timer === undefined) run();
    else again = true;
  };
  return Object.assign(request, {
    dispose() {
      clearTimeout(timer);
      timer = undefined;
      again = false;
    },
  });
}

/** Runs `work` whenever it is asked for, but never twice at once; what is asked for meanwhile is done once after. */
export function oneAtATime(work: () => Promise<void>): () => void {
  let running = false;
  let again = false;
  const run = async (): Promise<void> => {
    running = true;
    do {
      again = false;
      await work().catch(() => undefined);
    } while (again);
    running = false;
  };
  return () => {
    again = true;
    if (!running) void run();
  };
}

/** Does one thing after another. What failed was its caller's to hear of; what comes next begins all the same. */
export function createTurns(): <T>(action: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const mine = last.then(action);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** After what waits for the event loop: calls that tests wait for come before what somebody may look at. */
export const afterOthers = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
