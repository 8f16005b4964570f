import { spawnSync } from "node:child_process";

/** Whether there is a Python to run: `python3`, as the program is called on the PATH. */
export const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** For titles of tests that are skipped without it. */
export const NEEDS_PYTHON = "(needs python3 on the PATH: install Python 3)";
