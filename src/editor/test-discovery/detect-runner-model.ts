import type { TapedeckError } from "../../core/base/errors.ts";
import type { AskProgram, ProjectFiles, TestRunner } from "./test-runner-model.ts";
import { javascriptRunner } from "./javascript-runner-model.ts";
import { pythonRunner } from "./python-runner-model.ts";

export interface DetectOptions extends ProjectFiles {
  /** The test file, absolute. */
  readonly file: string;
  /** Absolute; nothing above it is asked for settings, only for installed packages. */
  readonly workspaceFolder: string;
  /** Of the `node` that will run the tests, e.g. "v20.20.2"; taken as 22 or later where unknown. */
  readonly nodeVersion?: string | undefined;
  /** Without it, packages of Yarn's Plug'n'Play are not found. */
  readonly ask?: AskProgram;
  /** A chosen Python interpreter. */
  readonly python?: string | undefined;
  /** The value of VIRTUAL_ENV. */
  readonly virtualEnv?: string | undefined;
  /** Whether this interpreter can import pytest. */
  readonly hasPytest?: (python: string) => Promise<boolean>;
}

/**
 * Tells which runner runs a test file and how to start it, as the file's own folder would.
 * Where it cannot be told, or is not installed, the result is the error that says what was looked for.
 */
export function detectRunner(options: DetectOptions): Promise<TestRunner | TapedeckError> {
  const project = { ...options, files: options };
  return /\.pyi?$/.test(options.file) ? pythonRunner(project) : javascriptRunner(project);
}
