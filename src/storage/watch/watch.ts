import type { StoreChange } from "../../core/cassette/store.ts";
import type { Disposable } from "../../core/call.ts";
import { createFolderWatchers } from "./folder-watchers.ts";
import type { Meaning } from "./watched-places.ts";

/** Events come in bursts; those of one burst are told together. */
const BURST_MS = 50;
/** How often to call for a fresh look where the system has no watcher to give. */
const POLL_MS = 5_000;

/**
 * Watches a cassette folder that may not be there yet, may go and may come back.
 * Does not keep the process alive and never throws.
 */
export function watchCassettes(dir: string, notify: (change: StoreChange) => void): Disposable {
  const changed = new Set<string>();
  const due = { stale: false, scan: false };
  let burst: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;

  const settle = (): void => {
    burst = undefined;
    const stale = (due.scan && watchers.follow()) || due.stale;
    const changes: readonly StoreChange[] = stale ? [{}] : Array.from(changed, (entry) => ({ entry }));
    Object.assign(due, { stale: false, scan: false });
    changed.clear();
    changes.forEach(notify);
  };
  const onMeaning = (meaning: NonNullable<Meaning>): void => {
    if (typeof meaning === "object") changed.add(meaning.entry);
    else due[meaning] = true;
    burst ??= setTimeout(settle, BURST_MS).unref();
  };
  const onShortage = (): void => {
    polling ??= setInterval(() => {
      onMeaning("scan");
      onMeaning("stale");
    }, POLL_MS).unref();
  };
  const watchers = createFolderWatchers(dir, { onMeaning, onShortage });

  watchers.follow();
  return {
    dispose() {
      watchers.close();
      clearTimeout(burst);
      clearInterval(polling);
    },
  };
}
