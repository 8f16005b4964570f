/**
 * Resolves when the event loop has asked the system once more for what happened: then every change that was made
 * before the call of this function has been told of by its watcher. All callers of a turn share one promise.
 */
export function nextTurn(): Promise<void> {
  pending ??= new Promise((resolve) => {
    // The first may run before the system is asked, the second cannot.
    setImmediate(() => {
      pending = undefined;
      setImmediate(resolve);
    });
  });
  return pending;
}

let pending: Promise<void> | undefined;
