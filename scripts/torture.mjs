// npm run torture [-- --seed N] [--only WORDS] [--short] [--without]: the promises under load, as a table.
// --without takes out one protection after another instead: each of these runs has to fail.
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { asProgram } from "./bundling.mjs";
import { withoutProtection } from "./checks/without-protection.mjs";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    only: { type: "string", default: "" },
    short: { type: "boolean", default: false },
    without: { type: "boolean", default: false },
  },
});

/** @typedef {import("../test/torture/torture.ts").Protection} Protection */
/** @typedef {{ name: string, promise: string, short: number, long: number, protections: readonly Protection[] }} Described */
/** @typedef {{ cases: number, failures: readonly string[], note?: string }} Suffered */

const program = await bundle();
const all = /** @type {readonly Described[]} */ (JSON.parse((await run(program, ["describe"])).output));
const chosen = all.filter(({ name }) => name.includes(values.only));
if (chosen.length === 0) {
  console.error(
    `No torture is called "${values.only}". There are: ${all.map(({ name }) => name).join("; ")}.`,
  );
  process.exit(2);
}
console.log(`seed ${values.seed}`);
const bad = values.without ? await withoutEach() : await suffer();
process.exit(bad === 0 ? 0 : 1);

async function suffer() {
  let failed = 0;
  for (const { name, promise, short, long } of chosen) {
    const begun = Date.now();
    const { cases, failures, note } = await suffered(program, name, values.short ? short : long);
    const took = `${((Date.now() - begun) / 1000).toFixed(0)} s`;
    console.log(`${failures.length === 0 ? "✔" : "✘"} ${name}: ${promise}`);
    console.log(
      `    ${cases} cases, ${failures.length} failures, ${took}${note === undefined ? "" : `; ${note}`}`,
    );
    for (const failure of failures.slice(0, 10)) console.log(`    - ${failure}`);
    failed += failures.length;
  }
  return failed;
}

/** A run that passes although a protection is missing shows that it proves nothing. */
async function withoutEach() {
  let unseen = 0;
  for (const { name, short, protections } of chosen) {
    for (const protection of protections) {
      const mutilated = await bundle(protection);
      const { failures } = await suffered(mutilated, name, short, protection);
      console.log(`${failures.length > 0 ? "✔" : "✘"} ${name}, without this: ${protection.what}`);
      console.log(
        `    ${failures.length} failures${failures.length > 0 ? `, e.g. ${failures[0]}` : ": not noticed"}`,
      );
      unseen += failures.length > 0 ? 0 : 1;
    }
  }
  return unseen;
}

/** @param {string} script @param {string} name @param {number} cases @param {Protection} [missing] @returns {Promise<Suffered>} */
async function suffered(script, name, cases, missing) {
  const { output, code } = await run(script, ["run", name, values.seed, String(cases)], missing);
  if (code !== 0) return { cases, failures: [`the run itself ended with code ${code}`] };
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
