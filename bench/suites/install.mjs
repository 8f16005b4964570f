// Installs the packages of the suites and the other recorders, about 400 MB, into this folder.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { npm } from "../../scripts/checks/npm.mjs";

const here = import.meta.dirname;
const environment = join(here, "node_modules", ".venv");
npm(here, ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
for (const [program, ...args] of [
  ["python3", "-m", "venv", environment],
  [join(environment, "bin", "python"), "-m", "pip", "install", "-q", "-r", join(here, "requirements.txt")],
]) {
  const { status } = spawnSync(program ?? "", args, { stdio: "inherit" });
  if (status !== 0) {
    console.error("The suites of pytest are not measured: Python's packages could not be installed.");
    break;
  }
}
