import type { Disposable } from "./call.ts";

/** Listeners for one kind of event. `whileAny` is held while there is at least one. */
export interface Listeners<T> {
  add(listener: (event: T) => void): Disposable;
  notify(event: T): void;
  clear(): void;
}

export function createListeners<T>(whileAny?: () => Disposable): Listeners<T> {
  const listeners = new Set<{ readonly listen: (event: T) => void }>();
  let held: Disposable | undefined;
  const releaseIfEmpty = (): void => {
    if (listeners.size > 0) return;
    held?.dispose();
    held = undefined;
  };
  return {
    add(listen) {
      const listener = { listen };
      listeners.add(listener);
      held ??= whileAny?.();
      return {
        dispose() {
          listeners.delete(listener);
          releaseIfEmpty();
        },
      };
    },
    notify(event) {
      for (const { listen } of listeners) listen(event);
    },
    clear() {
      listeners.clear();
      releaseIfEmpty();
    },
  };
}

/** Combines disposables. */
export function combineDisposables(...all: readonly Disposable[]): Disposable {
  return { dispose: () => all.forEach((one) => one.dispose()) };
}
