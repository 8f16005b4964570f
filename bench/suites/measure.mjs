// Measures commands side by side: CPU of a command and of all processes that it started, by turns.
import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { median } from "../median.mjs";

/**
 * @typedef {object} Variant one way to run a suite
 * @property {string} name
 * @property {string} cwd
 * @property {Readonly<Record<string, string>>} [env]
 * @property {readonly string[]} command
 * @property {readonly string[]} [fresh] files and folders that are removed before each run
 */

/**
 * Variables of the user that would change which server answers, or have every process read certificates at its start,
 * which takes longer than what is measured.
 */
const FOREIGN =
  /^(?:OPENAI|ANTHROPIC|TAPEDECK|SUITE|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT|PYTEST|NOCK|POLLY|npm_|VITEST|CI$)/;

/**
 * Runs every variant once per round and returns its median CPU seconds and wall seconds, in the order of the variants.
 * @param {readonly Variant[]} variants
 * @param {number} rounds
 */
export async function measure(variants, rounds) {
  const seen = variants.map(() => /** @type {{ cpu: number, wall: number }[]} */ ([]));
  for (let round = 0; round < rounds; round += 1)
    for (const [index, variant] of variants.entries()) seen[index]?.push(await runOnce(variant));
  return variants.map(({ name }, index) => ({
    name,
    cpu: median((seen[index] ?? []).map(({ cpu }) => cpu)),
    wall: median((seen[index] ?? []).map(({ wall }) => wall)),
  }));
}

/**
 * Reads Bash's `time`, which counts CPU of children and their children in milliseconds; `times` counts it in hundredths of
 * a second. @param {Variant} variant
 */
async function runOnce({ name, cwd, env = {}, command, fresh = [] }) {
  for (const path of fresh) rmSync(path, { recursive: true, force: true });
  const log = `${cwd}/last-run.log`;
  const own = Object.fromEntries(Object.entries(process.env).filter(([variable]) => !FOREIGN.test(variable)));
  const keys = { OPENAI_API_KEY: "sk-suite", ANTHROPIC_API_KEY: "sk-ant-suite", NO_COLOR: "1" };
  const begun = performance.now();
  const child = spawn("bash", ["-c", 'time "$@" >last-run.log 2>&1', "bash", ...command], {
    cwd,
    env: { ...own, ...keys, PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1", TIMEFORMAT: "%U %S", ...env },
    stdio: ["ignore", "inherit", "pipe"],
  });
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${readFileSync(log, "utf8").slice(-2_000)}`);
  const wall = (performance.now() - begun) / 1000;
  // Bash may warn before it, and some locales write a decimal comma.
  const [, user, system] =
    /(\d+[.,]\d+) (\d+[.,]\d+)\s*$/.exec(output)?.map((text) => text.replace(",", ".")) ?? [];
  if (user === undefined) throw new Error(`Bash reported no time of ${name}:\n${output}`);
  return { cpu: Number(user) + Number(system), wall };
}
