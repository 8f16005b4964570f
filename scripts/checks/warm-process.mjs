// What warm-tests.mjs starts and asks: runs test files of the folder in its argument again and again, which it has read and
// transformed already. Each run has a thread of its own, so that nothing is left of the one before.
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
