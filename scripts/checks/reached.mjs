import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { programOf, runNode } from "./run.mjs";

/** @typedef {{ start: number, end: number }} Place in UTF-16 code units */
/** @typedef {(file: string, at: Place) => readonly string[]} TestsOf the tests that run this code */

const SETUP = "reached-setup.mjs";
const CONFIG = "vitest.reached.config.ts";
const NOTED = "reached.ndjson";

/**
 * Finds which tests run which functions: each function is marked in a copy of the checkout, and the tests report the
 * marks they pass. Code outside of functions counts as run by every test that runs a function of the file.
 * `kept` names a file that caches the result for the next run.
 * @param {string} folder @param {readonly string[]} files @param {readonly string[]} tests @param {string} [kept]
 * @returns {Promise<TestsOf>}
 */
export async function testsThatReach(folder, files, tests, kept = "") {
  const functions = new Map(files.map((file) => [file, mark(folder, file)]));
  const noted = join(folder, NOTED);
  if (existsSync(kept)) copyFileSync(kept, noted);
  else await runMarked(folder, tests);
  if (kept !== "") copyFileSync(noted, kept);
  /** @type {Map<string, Set<string>>} */
  const testsOf = new Map();
  for (const line of readFileSync(noted, "utf8").trim().split("\n")) {
    const { test, marks } = JSON.parse(line);
    for (const one of [...marks, ...marks.map((/** @type {string} */ name) => name.replace(/:\d+$/u, ""))])
      testsOf.set(one, (testsOf.get(one) ?? new Set()).add(test));
  }
  return (file, { start, end }) => {
    const around = (functions.get(file) ?? []).filter((one) => one.start <= start && end <= one.end);
    const inner = around.toSorted((a, b) => b.start - a.start)[0];
    // A mark of an earlier run may have moved: then all tests that run a function of the file count.
    const reaching = testsOf.get(`${file}:${inner?.start}`) ?? testsOf.get(file) ?? [];
    return [...reaching];
  };
}

/** @param {string} folder @param {readonly string[]} tests */
async function runMarked(folder, tests) {
  writeFileSync(join(folder, SETUP), setup(folder));
  writeFileSync(join(folder, CONFIG), config());
  writeFileSync(join(folder, NOTED), "");
  const vitest = [programOf("vitest"), "run", "--maxWorkers=2", "--root", folder];
  await runNode([...vitest, "--config", join(folder, CONFIG), ...tests], { NO_COLOR: "1" });
}

/** Writes a file of the copy with its marks; gives the places of its functions' bodies. @param {string} folder @param {string} file */
function mark(folder, file) {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  /** @type {Place[]} */
  const bodies = [];
  /** @type {{ at: number, text: string }[]} */
  const added = [];
  const inFunction = (/** @type {{ body: (Place & { type: string }) | null }} */ { body }) => {
    if (body === null) return;
    const { start, end } = body;
    const call = `(globalThis.marksReached ??= new Set()).add(${JSON.stringify(`${file}:${start}`)})`;
    bodies.push({ start, end });
    if (body.type === "BlockStatement") added.push({ at: start + 1, text: `${call};` });
    else added.push({ at: start, text: `(${call},(` }, { at: end, text: "))" });
  };
  new Visitor({
    FunctionDeclaration: inFunction,
    FunctionExpression: inFunction,
    ArrowFunctionExpression: inFunction,
  }).visit(parseSync(path, text).program);
  let marked = text;
  for (const one of added.toSorted((a, b) => b.at - a.at))
    marked = marked.slice(0, one.at) + one.text + marked.slice(one.at);
  writeFileSync(path, marked);
  return bodies;
}

/** Runs in front of every test file. @param {string} folder */
function setup(folder) {
  return `
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";
globalThis.marksReached = new Set();
afterAll(() => {
  const test = relative(${JSON.stringify(folder)}, expect.getState().testPath).replaceAll("\\\\", "/");
  appendFileSync(${JSON.stringify(join(folder, NOTED))}, JSON.stringify({ test, marks: [...globalThis.marksReached] }) + "\\n");
});
`;
}

function config() {
  return `
import config from "./vitest.config.ts";
export default { ...config, test: { ...config.test, setupFiles: ["./${SETUP}"] } };
`;
}
