// npm run test:long: the tests that make few cases with `npm test`, with all of them.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { programOf } from "./checks/run.mjs";
import { rootDir } from "./host/paths.mjs";

const tests = join(rootDir, "test");
const files = readdirSync(tests, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
  .map((name) => join(tests, name))
  .filter((file) => readFileSync(file, "utf8").includes('/support/cases.ts"'));
const { status } = spawnSync(process.execPath, [programOf("vitest"), "run", ...files], {
  cwd: rootDir,
  env: { ...process.env, TEST_LONG: "1" },
  stdio: "inherit",
});
process.exit(status ?? 1);
