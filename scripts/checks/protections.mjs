import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rootDir } from "../host/paths.mjs";

/**
 * A change of the source that removes a protection. `find` occurs exactly once in the file.
 * @typedef {object} Protection
 * @property {string} what
 * @property {string} file relative to the project
 * @property {string} find
 * @property {string} replace
 * @property {string} [torture] the torture that fails without it
 * @property {readonly string[]} tests files or folders of tests; at least one test fails without it
 * @property {string} [named] only tests whose titles, including those of their groups, contain this
 */

/** Reads `test/torture/protections.txt`. @returns {readonly Protection[]} */
export function readProtections() {
  const page = readFileSync(join(rootDir, "test", "torture", "protections.txt"), "utf8");
  return page.split(/^# /m).slice(1).map(readProtection);
}

/** @param {string} entry @returns {Protection} */
function readProtection(entry) {
  const [what = "", file = "", ...lines] = entry.trimEnd().split("\n");
  const by = (lines.pop() ?? "").replace(/^by /, "");
  const marked = (/** @type {string} */ mark) =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(2));
  const change = { what, file, find: marked("-").join("\n"), replace: marked("+").join("\n") };
  if (by.startsWith("torture: ")) return { ...change, torture: by.slice("torture: ".length), tests: [] };
  const [tests = "", named] = by.split(" > ");
  return { ...change, tests: tests.split(", "), ...(named !== undefined && { named }) };
}
