// npm run screenshots [-- NAME]: takes the README's pictures into media/screenshots, each in light and dark. Their
// content is in test/host/screenshots/pictures.ts.
import { spawnSync } from "node:child_process";
import { programOf } from "./checks/run.mjs";
import { rootDir } from "./host/paths.mjs";

const name = process.argv[2];
const args = ["run", "--config", "test/host/e2e/vitest.config.ts", "test/host/screenshots"];
const { status } = spawnSync(
  process.execPath,
  [programOf("vitest"), ...args, ...(name ? ["--testNamePattern", name] : [])],
  { cwd: rootDir, stdio: "inherit" },
);
process.exit(status ?? 1);
