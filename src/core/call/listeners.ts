import type { Disposable } from "./call.ts";

/** Listeners for one kind of event. `whileAny` is held while there is at least one. */
export interface Listeners<T> {
  readonly isEmpty: boolean;
  add(listener: (event: T) => void): Disposable;
  notify(event: T): void;
  clear(): void;
}

export function createListeners<T>(whileAny?: () => Disposable): Listeners<T> {
  const listeners = new Set<{ readonly listen: (event: T) => void }>();
  let held: Disposable | undefined;
  const releaseIfEmpty = (): void => {
    if (listeners.size > 0) return;
    list.isEmpty = true;
    held?.dispose();
    held = undefined;
  };
  // A replayed call reads the property, and runs no function of this file.
  const list = {
    isEmpty: true,
    add(listen: (event: T) => void) {
      const listener = { listen };
      listeners.add(listener);
      list.isEmpty = false;
      held ??= whileAny?.();
      return {
        dispose() {
          listeners.delete(listener);
          releaseIfEmpty();
        },
      };
    },
    notify(event: T) {
      for (const { listen } of listeners) listen(event);
    },
    clear() {
      listeners.clear();
      releaseIfEmpty();
    },
  };
  return list;
}

/** Combines disposables. */
export function combineDisposables(...all: readonly Disposable[]): Disposable {
  return { dispose: () => all.forEach((one) => one.dispose()) };
}
