// npm run mutations [-- --seed N] [--count N] [--under FOLDER] [--parallel N] [--reached FILE]: changes the client core in places picked at
// random, one at a time in a copy of the checkout, and lists the changes that no test noticed. Ends with 0 if 95 % are noticed.
// Changes that do not alter the compiled, minified code, such as those of types, are left out.
// For each change, only the tests that run its function are run. --reached FILE caches which test runs which function.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { transformSync } from "esbuild";
import { mutantsOf } from "./checks/mutants.mjs";
import { testsThatReach } from "./checks/reached.mjs";
import { programOf, runNode } from "./checks/run.mjs";
import { warmTests } from "./checks/warm-tests.mjs";
import { rootDir } from "./host/paths.mjs";

/** @typedef {import("./checks/mutants.mjs").Mutant} Mutant */

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    count: { type: "string", default: "200" },
    under: { type: "string", default: "src/client,src/systems" },
    parallel: { type: "string", default: "2" },
    reached: { type: "string", default: "" },
  },
});
const BOUND = 0.95;
/** The time limit notices a change that makes a loop endless. */
const PATIENCE_MS = 60_000;
/** These tests load built files and packages, which the copy does not contain. */
const OF_BUILDS = /\/(?:loading|docs|bundle)\.test\.ts$/u;
/** Tests of the client core through its callers: mocks of a run, a fixture, and the editor. */
const OF_USERS =
  /^test\/(?:deck\/(?:mocks|run-mocks|planned-faults|scripted-replies)|differential\/kept|cli\/(?:chaos|script|made-up)|editor\/metagpt\/.*|testing\/tape)\.test\.ts$/u;

console.log(`seed ${values.seed}`);
const tests = readdirSync(join(rootDir, "test"), { recursive: true, encoding: "utf8" })
  .map((name) => `test/${name}`)
  .filter((name) => /^test\/(?:client|systems)\/.*\.test\.ts$/u.test(name) || OF_USERS.test(name))
  .filter((name) => !OF_BUILDS.test(name));
const under = values.under.split(",");
const files = execFileSync("git", ["ls-files", ...under.map((folder) => `${folder}/*.ts`)], {
  cwd: rootDir,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "");
/** @type {{ mutant: Mutant, isCaught: boolean }[]} */
const results = [];
const folders = Array.from({ length: Number(values.parallel) }, () => copyOfCheckout());
/** @type {Mutant[]} */
let picked = [];
/** @type {import("./checks/reached.mjs").TestsOf} */
let testsOf = () => [];
try {
  const [first = ""] = folders;
  picked = await pick(Number(values.count), first);
  testsOf = await testsThatReach(first, files, tests, values.reached);
  for (const file of files) cpSync(join(rootDir, file), join(first, file));
  await expectPassing(first);
  await Promise.all(folders.map(work));
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
report();

/** Picks this number of random changes that compile. @param {number} count @param {string} folder @returns {Promise<Mutant[]>} */
async function pick(count, folder) {
  const all = files.flatMap((file) => [...mutantsOf(file, readFileSync(join(rootDir, file), "utf8"))]);
  const unseen = (/** @type {Mutant} */ mutant) =>
    compiled(changed(mutant)) === compiled(readFileSync(join(rootDir, mutant.file), "utf8"));
  const random = randomFrom(Number(values.seed));
  /** @type {Mutant[]} */
  const some = [];
  while (some.length < 2 * count && all.length > 0)
    some.push(...all.splice(Math.floor(random() * all.length), 1).filter((mutant) => !unseen(mutant)));
  const faulty = await faultyOf(some, folder);
  return some.filter((mutant) => !faulty.has(mutant)).slice(0, count);
}

/** Those that do not compile. One of each file is tried at once. @param {readonly Mutant[]} mutants @param {string} folder */
async function faultyOf(mutants, folder) {
  const project = join(folder, "tsconfig.mutations.json");
  writeFileSync(project, JSON.stringify({ extends: "./tsconfig.json", include: under }));
  /** @type {Set<Mutant>} */
  const faulty = new Set();
  for (let left = mutants; left.length > 0;) {
    const first = left.filter(({ file }, index) => left.findIndex((other) => other.file === file) === index);
    for (const mutant of first) writeFileSync(join(folder, mutant.file), changed(mutant));
    const { output } = await runNode([programOf("typescript", "tsc"), "-p", project, "--pretty", "false"]);
    for (const mutant of first) {
      if (output.includes(`${mutant.file}(`)) faulty.add(mutant);
      cpSync(join(rootDir, mutant.file), join(folder, mutant.file));
    }
    left = left.filter((mutant) => !first.includes(mutant));
  }
  return faulty;
}

/** A test that fails anyway would notice every change. @param {string} folder */
async function expectPassing(folder) {
  const warm = await warmTests(folder);
  /** @type {string[]} */
  const failing = [];
  if (await warm.fail(tests, PATIENCE_MS * 5))
    for (const test of tests) if (await warm.fail([test], PATIENCE_MS)) failing.push(test);
  warm.close();
  if (failing.length > 0) throw new Error(`These fail without any change: ${failing.join(", ")}`);
}

/** @param {string} folder */
async function work(folder) {
  const warm = await warmTests(folder);
  for (let mutant = picked.shift(); mutant !== undefined; mutant = picked.shift()) {
    const path = join(folder, mutant.file);
    const original = readFileSync(path, "utf8");
    const reaching = testsOf(mutant.file, mutant);
    const near = reaching.filter((test) => isNear(test, mutant.file));
    const others = reaching.filter((test) => !near.includes(test));
    const isNoticed = async () => {
      writeFileSync(path, changed(mutant));
      warm.changed(mutant.file);
      return (await warm.fail(near, PATIENCE_MS)) || (await warm.fail(others, PATIENCE_MS));
    };
    // A run that a failure ended may have work in progress that gives the next run the old file.
    const isCaught = (await isNoticed()) || (await isNoticed());
    writeFileSync(path, original);
    warm.changed(mutant.file);
    results.push({ mutant, isCaught });
    if (!isCaught) console.log(describe(mutant));
  }
  warm.close();
}

/** Whether a test is of the file's own room. @param {string} test @param {string} file */
function isNear(test, file) {
  return dirname(test).startsWith(dirname(file).replace(/^src/u, "test"));
}

/** @param {Mutant} mutant */
function changed({ file, start, end, after }) {
  const text = readFileSync(join(rootDir, file), "utf8");
  return text.slice(0, start) + after + text.slice(end);
}

/** Returns the code without types, or undefined if it is not valid. @param {string} text */
function compiled(text) {
  try {
    return transformSync(text, { loader: "ts", minify: true, logLevel: "silent" }).code;
  } catch {
    return undefined;
  }
}

function copyOfCheckout() {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-mutations-"));
  const names = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: rootDir,
    encoding: "utf8",
  });
  for (const file of names.split("\n").filter((name) => name !== "" && existsSync(join(rootDir, name))))
    cpSync(join(rootDir, file), join(folder, file), { recursive: true });
  symlinkSync(join(rootDir, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** @param {Mutant} mutant */
function describe({ file, line, before, after }) {
  const short = (/** @type {string} */ text) => JSON.stringify(text.replaceAll(/\s+/gu, " ").slice(0, 90));
  return `survived ${file}:${line}  ${short(before)} → ${short(after)}`;
}

function report() {
  const caught = results.filter(({ isCaught }) => isCaught).length;
  const share = caught / results.length;
  console.log(`\n${caught} of ${results.length} noticed (${(100 * share).toFixed(1)} %)`);
  process.exit(share >= BOUND ? 0 : 1);
}

/** Mulberry32. @param {number} seed @returns {() => number} from 0 to below 1 */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
