// Started by warm-tests.mjs: runs test files of the folder in its argument repeatedly, with the files already read and
// transformed. Each run has a new thread, so that nothing of the previous one is left.
import { join } from "node:path";
import process from "node:process";
import { createVitest } from "vitest/node";

const [, , folder = ""] = process.argv;
let vitest = await start();

process.on("message", (/** @type {import("./warm-tests.mjs").Asked} */ { changed, tests, patience }) => {
  if (changed !== undefined) vitest.invalidateFile(join(folder, changed));
  else void fail(tests, patience).then((isFailing) => process.send?.(isFailing));
});
process.once("disconnect", () => process.exit());
process.send?.("ready");

/** @param {readonly string[]} tests @param {number} patience in milliseconds */
async function fail(tests, patience) {
  const wanted = new Set(tests.map((test) => join(folder, test)));
  const found = await vitest.globTestSpecifications([...wanted]);
  // vitest keeps the state of the previous run, and a failure in it would end this one.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  // A failure ends the run, and that may be its only sign.
  let isEnded = false;
  const forget = vitest.onCancel(() => void (isEnded = true));
  const running = vitest.runTestSpecifications(found.filter(({ moduleId }) => wanted.has(moduleId)));
  const ended = await Promise.race([running, after(patience)]);
  forget();
  if (ended !== undefined)
    return isEnded || ended.unhandledErrors.length > 0 || ended.testModules.some((one) => !one.ok());
  running.catch(() => {});
  // The first request lets the thread end, which an endless loop does not; the second one stops it.
  void vitest.cancelCurrentRun("keyboard-input");
  await vitest.cancelCurrentRun("keyboard-input");
  await vitest.close();
  vitest = await start();
  return true;
}

function start() {
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
      // The output of a mutated file is not needed later.
      experimental: { fsModuleCache: false },
    },
    { server: { watch: null } },
  );
}

/** @param {number} milliseconds @returns {Promise<undefined>} */
function after(milliseconds) {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds).unref());
}
