import { join } from "node:path";
import { createVitest } from "vitest/node";

/**
 * Runs test files of a folder again and again in one process that has read and transformed them already. Each run has
 * a thread of its own, so that nothing is left of the one before.
 * @param {string} folder
 */
export async function warmTests(folder) {
  let vitest = await start(folder);
  return {
    /** A source of the folder has changed. @param {string} file below the folder */
    changed: (file) => vitest.invalidateFile(join(folder, file)),
    /**
     * Whether one of these test files fails, or has not ended by then.
     * @param {readonly string[]} tests @param {number} patience in milliseconds
     */
    async fail(tests, patience) {
      if (tests.length === 0) return false;
      const wanted = new Set(tests.map((test) => join(folder, test)));
      const found = await vitest.globTestSpecifications([...wanted]);
      // The run before is remembered, and a failure of it would end this one.
      vitest.state.filesMap.clear();
      vitest.state.idMap.clear();
      // A failure ends the run, and may be told by nothing but that.
      let isEnded = false;
      const forget = vitest.onCancel(() => void (isEnded = true));
      const running = vitest.runTestSpecifications(found.filter(({ moduleId }) => wanted.has(moduleId)));
      const ended = await Promise.race([running, after(patience)]);
      forget();
      if (ended !== undefined)
        return isEnded || ended.unhandledErrors.length > 0 || ended.testModules.some((one) => !one.ok());
      running.catch(() => {});
      // Asked once, the thread is to end by itself, which an endless loop does not; asked twice, it is ended.
      void vitest.cancelCurrentRun("keyboard-input");
      await vitest.cancelCurrentRun("keyboard-input");
      await vitest.close();
      vitest = await start(folder);
      return true;
    },
    close: () => vitest.close(),
  };
}

/** @param {string} folder */
function start(folder) {
  return createVitest(
    "test",
    {
      root: folder,
      watch: false,
      reporters: [{}],
      silent: true,
      bail: 1,
      pool: "threads",
      maxWorkers: 1,
      // What a change gives is of no use later.
      experimental: { fsModuleCache: false },
    },
    { server: { watch: null } },
  );
}

/** @param {number} milliseconds @returns {Promise<undefined>} */
function after(milliseconds) {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds).unref());
}
