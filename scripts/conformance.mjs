// npm run conformance [-- --seed N]: all recorded traffic of ../shared/data, recorded through an upstream that cuts it
// at random places and replayed with the upstream gone, as a table by provider and operation. Ends with 1 if any
// reply is not the recorded one, byte for byte.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { asProgram } from "./bundling.mjs";
import { runNode } from "./checks/run.mjs";
import { rootDir } from "./host/paths.mjs";

const { values } = parseArgs({ options: { seed: { type: "string", default: "20261121" } } });
if (!/^\d{1,15}$/.test(values.seed)) {
  console.error(`"${values.seed}" is not a seed: give a number, e.g. npm run conformance -- --seed 7`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "tapedeck-conformance-"));
const program = join(folder, "conformance.mjs");
await build({
  ...asProgram,
  entryPoints: ["test/support/conformance-process.ts"],
  outfile: program,
  // Where the tests are, the data is found.
  define: { "import.meta.dirname": JSON.stringify(join(rootDir, "test", "support")) },
});
const { code, output } = await runNode([program, values.seed]);
rmSync(folder, { recursive: true, force: true });
process.stdout.write(output);
process.exit(code ?? 1);
