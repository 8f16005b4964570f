// npm run differential [-- --seed N] [-- --count N] [-- --system WORDS] [-- --sources DIR]: random inputs, given to
// Tapedeck's client core and to the originals that pip can install or that are below DIR, as a table of what
// differs. Ends with 1 where a difference is not documented, or an original fails. An original that cannot be had
// is named, with what to install, and is not compared. --keep SEED,SEED asks for these and for what is kept
// already, and writes what they gave into test/fixtures/originals, for every clone.
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
