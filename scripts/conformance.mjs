// npm run conformance [-- --data DIR] [--seed N]: records traffic again through an upstream that cuts it at random places,
// replays it without the upstream, and prints a table by provider and operation. Exits with 1 if any reply differs in a
// byte. The traffic is the project's corpus, or with --data real traffic of other projects, on which every test of the
// corpus runs afterwards.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { asProgram } from "./bundling.mjs";
import { programOf, runNode } from "./checks/run.mjs";
import { rootDir } from "./host/paths.mjs";

const { values } = parseArgs({
  options: { data: { type: "string" }, seed: { type: "string", default: "20261121" } },
});
if (!/^\d{1,15}$/.test(values.seed)) {
  console.error(`"${values.seed}" is not a seed: give a number, e.g. npm run conformance -- --seed 7`);
  process.exit(2);
}
const data = values.data === undefined ? undefined : resolve(values.data);
const missing = ["metagpt", "pydantic-ai", "vercel-ai"].filter(
  (name) => data !== undefined && !existsSync(join(data, name)),
);
if (missing.length > 0) {
  console.error(`${data} has no ${missing.join(", no ")}: CONTRIBUTING.md describes the folder.`);
  process.exit(2);
}
/** @type {Record<string, string>} */
const env = data === undefined ? {} : { TAPEDECK_CONFORMANCE_DATA: data, TEST_LONG: "1" };

const folder = mkdtempSync(join(tmpdir(), "tapedeck-conformance-"));
const program = join(folder, "conformance.mjs");
await build({ ...asProgram, entryPoints: ["test/support/conformance-process.ts"], outfile: program });
const { code, output } = await runNode([program, values.seed], env);
rmSync(folder, { recursive: true, force: true });
process.stdout.write(output);
process.exitCode = code;

if (data !== undefined) {
  const tests = await runNode([programOf("vitest"), "run", ...suites()], { ...env, NO_COLOR: "1" });
  process.stdout.write(tests.output);
  process.exitCode ||= tests.code;
}

/** Every test that reads recorded traffic. */
function suites() {
  const files = readdirSync(join(rootDir, "test"), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules"))
    .map((file) => join("test", file))
    .filter((file) => readFileSync(join(rootDir, file), "utf8").includes("support/recorded-traffic.ts"));
}
