// npm run test:long [-- PART…]: runs all cases of the tests that `npm test` runs with few cases, test runners of both
// generations and on other Nodes, and the slow programs and workbench stories. Parts are those of `npm test`.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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

/** Arguments of scripts/test.mjs. @type {readonly (readonly string[])[]} */
const parts = [
  ["unit", ...filesWithCases("test", ["host", "installed", "runners"]), ...LONG_PROGRAMS],
  ["runners", ...filesWithCases("test/runners"), ...LONG_RUNNERS],
  ["host"],
  ["installed"],
  ["e2e", ...LONG_STORIES, ...filesWithCases("test/host/e2e")],
];
const names = process.argv.slice(2);
const unknown = names.filter((name) => !parts.some(([part]) => part === name));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown}. The parts are ${parts.map(([part]) => part).join(", ")}.`);
  process.exit(2);
}
const failed = parts
  .filter(([part = ""]) => names.length === 0 || names.includes(part))
  .filter((args) => {
    const env = { ...process.env, TEST_LONG: "1" };
    const script = join("scripts", "test.mjs");
    return (
      spawnSync(process.execPath, [script, ...args], { cwd: rootDir, env, stdio: "inherit" }).status !== 0
    );
  })
  .map(([part]) => part);
if (failed.length > 0)
  console.error(`\nFailed parts: ${failed.join(", ")}. Run one: npm run test:long -- PART`);
process.exit(failed.length > 0 ? 1 : 0);
