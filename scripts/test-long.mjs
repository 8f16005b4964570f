// npm run test:long: runs all cases of the tests that `npm test` runs with few cases, test runners of both generations and
// on other Nodes, and the slow programs and workbench stories.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { programOf } from "./checks/run.mjs";
import { LONG_PROGRAMS, LONG_RUNNERS, LONG_STORIES } from "./checks/long.mjs";
import { rootDir } from "./host/paths.mjs";

/** The files below a folder that make more cases here. @param {string} folder @param {readonly string[]} [without] */
function filesWithCases(folder, without = []) {
  return readdirSync(join(rootDir, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
    .filter((name) => !without.some((part) => name.startsWith(part)))
    .map((name) => join(rootDir, folder, name))
    .filter((file) => /\/support\/(?:cases|generations|long)\.ts"/u.test(readFileSync(file, "utf8")));
}

/** @param {readonly string[]} args @returns {boolean} whether it ended well */
function run(args) {
  const env = { ...process.env, TEST_LONG: "1" };
  return spawnSync(process.execPath, args, { cwd: rootDir, env, stdio: "inherit" }).status === 0;
}

const vitest = [programOf("vitest"), "run"];
const passed = [
  run(["scripts/build.mjs"]),
  run([...vitest, ...filesWithCases("test", ["host", "installed", "runners"]), ...LONG_PROGRAMS]),
  run(["scripts/install-runners.mjs"]),
  run([
    ...vitest,
    "--config",
    "test/runners/vitest.config.ts",
    ...filesWithCases("test/runners"),
    ...LONG_RUNNERS,
  ]),
  run(["scripts/test.mjs", "host"]),
  run(["scripts/test.mjs", "installed"]),
  run(["scripts/test.mjs", "e2e", ...LONG_STORIES, ...filesWithCases("test/host/e2e")]),
];
process.exit(passed.every(Boolean) ? 0 : 1);
