import type { Disposable } from "./call.ts";

/** Listeners for one kind of event. `whileAny` is held while there is at least one. */
export interface Listeners<T> {
  add(listener: (told: T) => void): Disposable;
  notify(told: T): void;
  clear(): void;
}

export function createListeners<T>(whileAny?: () => Disposable): Listeners<T> {
  const listeners = new Set<{ readonly tell: (told: T) => void }>();
  let held: Disposable | undefined;
  const letGo = (): void => {
    if (listeners.size > 0) return;
    held?.dispose();
    held = undefined;
  };
  return {
    add(tell) {
      const listener = { tell };
      listeners.add(listener);
      held ??= whileAny?.();
      return {
        dispose() {
          listeners.delete(listener);
          letGo();
        },
      };
    },
    notify(told) {
      for (const { tell } of listeners) tell(told);
    },
    clear() {
      listeners.clear();
      letGo();
    },
  };
}

/** Combines disposables. */
export function combineDisposables(...all: readonly Disposable[]): Disposable {
  return { dispose: () => all.forEach((one) => one.dispose()) };
}
