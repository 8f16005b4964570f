import { watch, type FSWatcher } from "node:fs";
import { basename } from "node:path";

/**
 * Tells of each name in a folder that changed, and when the folder is watched no longer: what stands at its path then is
 * another one. Keeps no process alive. @throws the system's error where there is no watcher to give.
 */
export function watchFolder(
  path: string,
  changed: (name: string | null) => void,
  ended: () => void,
): FSWatcher {
  const watcher = watch(path, { persistent: false }, (event, name) => {
    // So a folder tells that it was itself moved or deleted.
    if (event === "rename" && name === basename(path)) ended();
    else changed(name);
  });
  return watcher.on("error", ended);
}
