// npm run coverage-table: runs the tests of the mock client core and writes test/client/coverage.md from their titles.
import { programOf, runNode } from "./checks/run.mjs";

const reporter = "scripts/checks/coverage-reporter.mjs";
const { code, output } = await runNode(
  [
    programOf("vitest"),
    "run",
    "test/client",
    "test/systems",
    "test/testing",
    "--reporter=default",
    `--reporter=${reporter}`,
  ],
  { NO_COLOR: "1" },
);
console.log(output);
process.exitCode = code;
