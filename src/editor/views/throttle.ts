import type { Disposable } from "../../core/exchange.ts";

export interface Throttle extends Disposable {
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
