// npm run differential [-- --seed N] [-- --count N] [-- --system WORDS] [-- --sources DIR]: gives random inputs to
// Tapedeck's client core and to the original systems, and prints a table of the differences. Originals are installed
// with pip or read from below DIR; a missing one is named with the packages to install, and is not compared.
// Exits with 1 if a difference is not documented or an original fails. --keep SEED,SEED also runs these seeds and the
// stored ones, and writes the originals' results to test/fixtures/originals, for every clone.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { asProgram } from "./bundling.mjs";
import { runNode } from "./checks/run.mjs";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "20261123" },
    count: { type: "string", default: "3000" },
    system: { type: "string", default: "" },
    python: { type: "string", default: "python3" },
    sources: { type: "string", default: "" },
    keep: { type: "string", default: "" },
  },
});
for (const name of /** @type {const} */ (["seed", "count", "keep"])) {
  if (/^\d{1,9}$/.test(values[name]) || (name === "keep" && /^(?:\d{1,9}(?:,|$))*$/.test(values.keep)))
    continue;
  console.error(`"${values[name]}" is no number: say e.g. npm run differential -- --${name} 100`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "tapedeck-differential-"));
const program = join(folder, "differential.mjs");
await build({ ...asProgram, entryPoints: ["test/differential/differential-process.ts"], outfile: program });
const { seed, count, system, python, sources, keep } = values;
const { code, output } = await runNode([program, seed, count, system, python, sources, keep]);
rmSync(folder, { recursive: true, force: true });
process.stdout.write(output);
process.exitCode = code;
