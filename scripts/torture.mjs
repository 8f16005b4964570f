// npm run torture [-- --seed N] [--only WORDS] [--without]: tests the promises under load. Then removes one
// protection after another, and a test must notice each. Prints both as tables.
// --without only removes. Few cases of the load: npx vitest run test/torture/torture.test.ts.
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { asProgram } from "./bundling.mjs";
import { readProtections } from "./checks/protections.mjs";
import { testsWithout } from "./checks/without-tests.mjs";
import { withoutProtection } from "./checks/without-protection.mjs";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    only: { type: "string", default: "" },
    without: { type: "boolean", default: false },
  },
});

/** @typedef {import("./checks/protections.mjs").Protection} Protection */
/** @typedef {{ name: string, promise: string, short: number, long: number }} Described */
/** @typedef {{ cases: number, failures: readonly string[], note?: string }} Suffered */
/** @typedef {{ isGood: boolean, cells: readonly string[] }} Row */

const program = await bundle();
const described = /** @type {readonly Described[]} */ (JSON.parse((await run(program, ["describe"])).output));
const protections = readProtections();
const tortures = described.filter(({ name }) => name.includes(values.only));
const removed = protections.filter(({ what, torture, tests }) =>
  [what, torture ?? "", ...tests].some((word) => word.includes(values.only)),
);
if (tortures.length + removed.length === 0) {
  console.error(
    `Nothing is called "${values.only}". There are: ${described.map(({ name }) => name).join("; ")}; and the protections ${protections.map(({ what }) => what).join("; ")}.`,
  );
  process.exit(2);
}
console.log(`seed ${values.seed}`);
/** @type {Row[]} */
const endured = [];
/** @type {Row[]} */
const missed = [];
if (!values.without) await suffer();
await withoutEach();
if (endured.length > 0) print(["test", "cases", "failures", "time"], endured);
if (missed.length > 0) print(["without this", "is missed by", "failures", "time"], missed);
const bad = [...endured, ...missed].filter(({ isGood }) => !isGood).length;
console.log(bad === 0 ? "\nAll of it holds." : `\n${bad} of it does not hold.`);
process.exit(bad === 0 ? 0 : 1);

async function suffer() {
  for (const { name, promise, long } of tortures) {
    const begun = Date.now();
    const { cases, failures, note } = await suffered(program, name, long);
    const isGood = failures.length === 0;
    console.log(`${isGood ? "✔" : "✘"} ${name}: ${promise}${note === undefined ? "" : ` (${note})`}`);
    for (const failure of failures.slice(0, 10)) console.log(`    - ${failure}`);
    const cells = [name, cases.toLocaleString("en"), String(failures.length), since(begun)];
    endured.push({ isGood, cells });
  }
}

/** Runs each test without its protection: a test that still passes proves nothing. */
async function withoutEach() {
  for (const protection of removed) {
    const begun = Date.now();
    const torture = described.find(({ name }) => name === protection.torture);
    const by = torture?.name ?? protection.tests.join(", ");
    const result =
      torture === undefined
        ? await testsWithout(protection)
        : await suffered(await bundle(protection), torture.name, torture.short, protection);
    noted(protection, by, begun, result);
  }
}

/** @param {Protection} protection @param {string} by @param {number} begun @param {Suffered} suffered */
function noted({ what }, by, begun, { failures, note }) {
  const isGood = failures.length > 0;
  console.log(`${isGood ? "✔" : "✘"} ${by}, without this: ${what}`);
  console.log(`    ${isGood ? failures[0] : `not noticed${note === undefined ? "" : `:\n    ${note}`}`}`);
  missed.push({ isGood, cells: [what, by, String(failures.length), since(begun)] });
}

/** @param {number} begun */
function since(begun) {
  return `${((Date.now() - begun) / 1000).toFixed(0)} s`;
}

/** Words to the left, figures to the right. @param {readonly string[]} head @param {readonly Row[]} rows */
function print(head, rows) {
  const all = [head, ...rows.map(({ cells }) => cells)];
  const widths = head.map((_, column) => Math.max(...all.map((cells) => (cells[column] ?? "").length)));
  const line = (/** @type {readonly string[]} */ cells) =>
    cells
      .map((cell, column) => {
        const isFigure = /^[\d,]+(?: s)?$/.test(rows[0]?.cells[column] ?? "");
        return isFigure ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
      })
      .join("  ");
  console.log(`\n  ${line(head)}`);
  for (const { isGood, cells } of rows) console.log(`${isGood ? "✔" : "✘"} ${line(cells)}`);
}

/** @param {string} script @param {string} name @param {number} cases @param {Protection} [missing] @returns {Promise<Suffered>} */
async function suffered(script, name, cases, missing) {
  const { output, code } = await run(script, ["run", name, values.seed, String(cases)], missing);
  // Without a protection, that is a wrong replacement rather than a noticed one.
  const broke = `the run itself ended with code ${code}`;
  if (code !== 0) return missing ? { cases, failures: [], note: broke } : { cases, failures: [broke] };
  return JSON.parse(output);
}

/** @param {Protection} [missing] @returns {Promise<string>} the bundle's path */
async function bundle(missing) {
  const outfile = `dist-test/torture/${missing === undefined ? "whole" : "without"}.mjs`;
  await build({
    ...asProgram,
    entryPoints: ["test/torture/main.ts"],
    outfile,
    packages: "external",
    plugins: missing === undefined ? [] : [withoutProtection(missing)],
  });
  return outfile;
}

/** @param {string} script @param {readonly string[]} args @param {Protection} [missing] @returns {Promise<{ code: number | null, output: string }>} */
function run(script, args, missing) {
  const env = { ...process.env, ...(missing && { TAPEDECK_WITHOUT: JSON.stringify(missing) }) };
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"], env });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}
