import type { Disposable } from "../../core/call/call.ts";

interface Throttle extends Disposable {
  (): void;
}

/** Runs `action` immediately, then at most once every `everyMs()` milliseconds. The last request is never lost. */
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

/** Runs `work` on request, but never concurrently. Requests during a run cause one more run after it. */
export function runOneAtATime(work: () => Promise<void>): () => void {
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

/** Resolves after other pending work, so that calls that tests wait for go first. */
export const waitForOthers = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
