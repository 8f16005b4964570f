import type { Disposable } from "../../core/call.ts";

export interface Listeners {
  on(listener: () => void): Disposable;
  emit(): void;
  clear(): void;
}

/** Tells listeners that something changed; what changed, they look up. */
export function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  return {
    on(listener) {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    emit() {
      for (const listener of Array.from(listeners)) listener();
    },
    clear: () => listeners.clear(),
  };
}
