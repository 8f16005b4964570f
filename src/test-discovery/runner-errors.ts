import { dirname } from "node:path";
import { localize } from "../core/base/localize.ts";
import { type TapedeckError, createTapedeckError } from "../core/base/errors.ts";

export function createNoRunnerError(file: string, workspaceFolder: string): TapedeckError {
  return createTapedeckError(
    "tapedeck_usage",
    localize("Tapedeck did not detect the test runner of {0}.", file),
    {
      hint: localize(
        "It searched the file for an import of vitest, node:test, @jest/globals, mocha, or @playwright/test, and the folders up to {0} for a config file, a script, or a dependency of vitest, jest, mocha, node --test, or Playwright. Add one of them, or enter the command for one test in the setting tapedeck.testCommand.",
        workspaceFolder,
      ),
    },
  );
}

export function createUnknownRunnerError(file: string, name: string): TapedeckError {
  return createTapedeckError(
    "tapedeck_usage",
    localize("{0} is a test of {1}, which Tapedeck cannot start.", file, name),
    {
      hint: localize(
        "Tapedeck starts vitest, jest, mocha, node:test, and Playwright. Enter the command for one test in the setting tapedeck.testCommand.",
      ),
    },
  );
}

export function createNotInstalledError(file: string, name: string): TapedeckError {
  return createTapedeckError(
    "tapedeck_usage",
    localize("{0}, which runs {1}, is not installed.", name, file),
    {
      hint: localize(
        "There is no node_modules/{0} in {1} and the folders above it. Install the project's dependencies, or enter the command for one test in the setting tapedeck.testCommand.",
        name,
        dirname(file),
      ),
    },
  );
}

export function createPytestMissingError(file: string, python: string): TapedeckError {
  return createTapedeckError(
    "tapedeck_usage",
    localize("pytest, which runs {0}, is not installed for {1}.", file, python),
    {
      hint: localize(
        "Install it ({0} -m pip install pytest), or select another interpreter in the setting tapedeck.python.",
        python,
      ),
    },
  );
}
