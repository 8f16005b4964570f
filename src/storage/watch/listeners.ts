import type { StoreChange } from "../../core/cassette/store.ts";
import type { Disposable } from "../../core/call.ts";

/** Those who want to hear of changes. While there are any, `whileAny` is held. */
export interface Listeners {
  add(listener: (change: StoreChange) => void): Disposable;
  notify(change: StoreChange): void;
}

export function createListeners(whileAny?: () => Disposable): Listeners {
  const listeners = new Set<{ readonly tell: (change: StoreChange) => void }>();
  let held: Disposable | undefined;
  return {
    add(tell) {
      const listener = { tell };
      listeners.add(listener);
      held ??= whileAny?.();
      return {
        dispose() {
          listeners.delete(listener);
          if (listeners.size > 0) return;
          held?.dispose();
          held = undefined;
        },
      };
    },
    notify(change) {
      for (const { tell } of listeners) tell(change);
    },
  };
}

/** What ends when each of these is ended. */
export function together(...all: readonly Disposable[]): Disposable {
  return { dispose: () => all.forEach((one) => one.dispose()) };
}
