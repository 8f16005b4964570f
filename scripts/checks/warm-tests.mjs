import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** @typedef {{ changed?: string, tests: readonly string[], patience: number }} Asked */

/**
 * Runs test files of a folder repeatedly in one process. If a change ends the process, the files count as failed, and a new
 * process continues.
 * @param {string} folder
 */
export async function warmTests(folder) {
  let child = await start(folder);
  return {
    /** A source of the folder has changed. @param {string} changed below the folder */
    changed: (changed) => void (child.connected && child.send({ changed })),
    /**
     * Returns whether one of these test files fails or exceeds the time limit.
     * @param {readonly string[]} tests @param {number} patience in milliseconds
     * @returns {Promise<boolean>}
     */
    async fail(tests, patience) {
      if (tests.length === 0) return false;
      if (!child.connected) child = await start(folder);
      const ended = new AbortController();
      const { signal } = ended;
      child.send({ tests, patience });
      const isFailing = await Promise.race([
        once(child, "message", { signal }).then(([failing]) => failing),
        once(child, "exit", { signal }).then(() => undefined),
      ]);
      ended.abort();
      if (isFailing === undefined) child = await start(folder);
      return isFailing ?? true;
    },
    close: () => child.disconnect(),
  };
}

/** @param {string} folder */
async function start(folder) {
  const child = fork(join(import.meta.dirname, "warm-process.mjs"), [folder], { stdio: "ignore" });
  await once(child, "message");
  return child;
}
