// Started by scripts/differential.mjs: seed, number of cases, words of a system's name, the Python to use, where sources are.
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { pythonWith } from "../../scripts/checks/python-with.mjs";
import type { Differential } from "./system.ts";
import { SYSTEMS } from "./systems.ts";
import { comparedWith, keptFile, keptResults } from "./kept.ts";

const [seed = "1", count = "100", wanted = "", python = "python3", sources = "", kept = ""] =
  process.argv.slice(2);
const SHOWN = 10;

const chosen = SYSTEMS.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
if (chosen.length === 0)
  console.log(`No system has "${wanted}" in its name: ${SYSTEMS.map(({ name }) => name).join("; ")}`);
let failed = chosen.length === 0;
for (const system of chosen) failed = (await compare(system)) || failed;
process.exitCode = failed ? 1 : 0;

/** Prints how a system compares; whether a difference is left that is not documented. */
async function compare(system: Differential): Promise<boolean> {
  const interpreter = hasSources(system) ? pythonFor(system) : undefined;
  if (interpreter === undefined) return false;
  const seeds =
    kept === "" ? Array.from({ length: Number(count) }, (_, at) => Number(seed) + at) : keptSeeds(system);
  const cases = seeds.map((one) => system.caseOf(one));
  const theirs = originals(system, interpreter, cases);
  if (theirs === undefined) return true;
  const documented = new Map<string, number>();
  const different: string[] = [];
  for (const [place, input] of cases.entries()) {
    const { results, why } = await comparedWith(system, input, theirs[place]);
    if (results === undefined) continue;
    if (why === undefined) different.push(described(input, results));
    else documented.set(why, (documented.get(why) ?? 0) + 1);
  }
  if (kept !== "") {
    const lines = seeds.map((one, place) => JSON.stringify({ seed: one, gave: theirs[place] }));
    writeFileSync(keptFile(system), `${lines.join("\n")}\n`);
  }
  console.log(`${system.name}: ${cases.length} inputs, ${different.length} differ`);
  for (const [why, times] of documented) console.log(`  ${times} as documented: ${why}`);
  for (const line of different.slice(0, SHOWN)) console.log(line);
  return different.length > 0;
}

/** Returns the stored seeds and the additional ones. */
function keptSeeds(system: Differential): readonly number[] {
  const before = keptResults(system, process.cwd()).map((one) => one.seed);
  return [...new Set([...before, ...kept.split(",").map(Number)])].sort((a, b) => a - b);
}

function hasSources({ name, sources: wants }: Differential): boolean {
  if (wants === undefined || existsSync(join(sources, wants.folder))) return true;
  console.log(`${name}: not compared; it is in no registry, and there is no ${join(sources, wants.folder)}`);
  console.log(`  Clone ${wants.address} at ${wants.revision} below a folder and name that with --sources.`);
  return false;
}

function pythonFor({ name, packages }: Differential): string | undefined {
  const made = pythonWith(packages, python);
  if (made.interpreter === undefined) console.log(`${name}: not compared; ${made.failure}`);
  return made.interpreter;
}

function originals(
  { name, program, sources: wants }: Differential,
  interpreter: string,
  cases: readonly unknown[],
): readonly unknown[] | undefined {
  const file = join("test/differential/originals", program);
  const { status, signal, stdout, stderr, error } = spawnSync(
    interpreter,
    [file, ...(wants ? [join(sources, wants.folder)] : [])],
    {
      input: JSON.stringify(cases),
      encoding: "utf8",
      maxBuffer: 2 ** 30,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", PYTHONUTF8: "1" },
    },
  );
  if (status === 0) return JSON.parse(stdout) as unknown[];
  console.log(`${name}: not compared; ${file} failed: ${error ?? signal ?? stderr.trim()}`);
  return undefined;
}

function described(input: unknown, { ours, theirs }: { ours: unknown; theirs: unknown }): string {
  const at = firstDifference(ours, theirs);
  return [
    `  input    ${JSON.stringify(input)}`,
    `  at       ${at.path || "the result"}`,
    `  ours     ${JSON.stringify(at.ours)}`,
    `  original ${JSON.stringify(at.theirs)}`,
  ].join("\n");
}

interface Difference {
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** The innermost place that holds the first difference. */
function firstDifference(ours: unknown, theirs: unknown, path = ""): Difference {
  const here = { path, ours, theirs };
  if (!isNested(ours) || !isNested(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) return here;
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
  const name = names.find((one) => !isDeepStrictEqual(ours[one], theirs[one]));
  return name === undefined ? here : firstDifference(ours[name], theirs[name], `${path}/${name}`);
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
