import * as vscode from "vscode";
import { homedir } from "node:os";
import { type TapedeckError, isTapedeckError } from "../../core/base/errors.ts";
import type { Session } from "../session/session.ts";
import { detectRunner } from "../test-discovery/detect-runner-model.ts";
import { type TestCommand, commandForTest, commandFromSetting } from "../test-discovery/run-one-model.ts";
import type { TestPlace } from "../test-code/test-place.ts";
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { READ_LIMITS, readText } from "../../storage/folder/read-file.ts";
import type { ProjectFiles } from "../test-discovery/test-runner-model.ts";

/** The command that runs a test, a suite, or a file, and the name of the runner for its TestRef. */
export interface TestStart {
  readonly command: TestCommand;
  readonly runner?: string;
}

/** Returns an error if no runner was detected or the setting is invalid. */
export async function startOf(
  { uri: file, test, tests }: TestPlace,
  session: Session,
): Promise<TestStart | TapedeckError> {
  const workspaceFolder = session.folder.uri.fsPath;
  const { testCommand, python } = session.settings;
  if (testCommand.length > 0) {
    const command = commandFromSetting(testCommand, { file: file.fsPath, workspaceFolder, test });
    return isTapedeckError(command) ? command : { command };
  }
  const askHere = (program: string, args: readonly string[]): Promise<string | undefined> =>
    ask(program, args, workspaceFolder);
  const interpreter = python === "" ? await chosenInterpreter(session.folder) : withHome(python);
  const { VIRTUAL_ENV: virtualEnv } = process.env;
  const runner = await detectRunner({
    ...projectFiles,
    file: file.fsPath,
    workspaceFolder,
    ask: askHere,
    hasPytest: async (program) => (await askHere(program, ["-c", "import pytest"])) !== undefined,
    nodeVersion: await askHere("node", ["--version"]),
    python: interpreter,
    virtualEnv,
  });
  if (isTapedeckError(runner)) return runner;
  return { command: commandForTest(runner, file.fsPath, test ?? tests), runner: runner.runner };
}

const withHome = (path: string): string => (path.startsWith("~/") ? homedir() + path.slice(1) : path);

/** Returns the interpreter from the Python extension's old setting. */
async function chosenInterpreter(folder: vscode.WorkspaceFolder): Promise<string | undefined> {
  const chosen = vscode.workspace
    .getConfiguration("python", folder.uri)
    .get<string>("defaultInterpreterPath");
  if (chosen === undefined || chosen === "" || chosen === "python") return undefined;
  const path = withHome(chosen.replaceAll("${workspaceFolder}", folder.uri.fsPath));
  return (await projectFiles.exists(path)) ? path : undefined;
}

/** The files of the workspace on disk, which runners read. */
const projectFiles: ProjectFiles = {
  readFile: (path) => readText(path, { most: READ_LIMITS.source, links: "followed" }).catch(() => undefined),
  exists: (path) =>
    stat(path).then(
      () => true,
      () => false,
    ),
};

/** Returns the output of a program, for example its version; undefined if it cannot be started or fails. */
export function ask(program: string, args: readonly string[], cwd: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, timeout: ANSWER_MS, windowsHide: true }, (error, stdout) => {
      resolve(error ? undefined : stdout.trim());
    });
  });
}

/** Timeout for a program that prints its version. */
const ANSWER_MS = 20_000;
