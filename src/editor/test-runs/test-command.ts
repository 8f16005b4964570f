import { homedir } from "node:os";
import * as vscode from "vscode";
import { isTapedeckError, type TapedeckError } from "../../core/errors.ts";
import type { Session } from "../session/session.ts";
import { detectRunner } from "../test-discovery/detect-runner-model.ts";
import { commandForTest, type TestCommand } from "../test-discovery/run-one-model.ts";
import { commandFromSetting } from "../test-discovery/test-command-setting-model.ts";
import { ask, projectFiles } from "../test-code/project-files.ts";
import type { Place } from "../test-code/test-place.ts";

/** The command that runs a test, a suite or a file, and the runner's name for its TestRef. */
export interface TestStart {
  readonly command: TestCommand;
  readonly runner?: string;
}

/** An error says what was looked for where no runner can be told, or what is wrong in the setting. */
export async function startOf(
  { uri: file, test, tests }: Place,
  session: Session,
): Promise<TestStart | TapedeckError> {
  const workspaceFolder = session.folder.uri.fsPath;
  const { testCommand, python } = session.settings;
  if (testCommand.length > 0) {
    const command = commandFromSetting(testCommand, {
      file: file.fsPath,
      workspaceFolder,
      ...(test && { test }),
    });
    return isTapedeckError(command) ? command : { command };
  }
  const nodeVersion = await ask("node", ["--version"], workspaceFolder);
  const interpreter = python === "" ? await chosenInterpreter(session.folder) : withHome(python);
  const { VIRTUAL_ENV: virtualEnv } = process.env;
  const runner = await detectRunner({
    ...projectFiles,
    file: file.fsPath,
    workspaceFolder,
    hasPytest: async (program) =>
      (await ask(program, ["-c", "import pytest"], workspaceFolder)) !== undefined,
    ...(nodeVersion !== undefined && { nodeVersion }),
    ...(interpreter !== undefined && { python: interpreter }),
    ...(virtualEnv !== undefined && { virtualEnv }),
  });
  if (isTapedeckError(runner)) return runner;
  return { command: commandForTest(runner, file.fsPath, test ?? tests), runner: runner.runner };
}

function withHome(path: string): string {
  return path.startsWith("~/") ? homedir() + path.slice(1) : path;
}

/** The interpreter that a person chose for the Python extension, where its old setting says so. */
async function chosenInterpreter(folder: vscode.WorkspaceFolder): Promise<string | undefined> {
  const chosen = vscode.workspace
    .getConfiguration("python", folder.uri)
    .get<string>("defaultInterpreterPath");
  if (chosen === undefined || chosen === "" || chosen === "python") return undefined;
  const path = withHome(chosen.replaceAll("${workspaceFolder}", folder.uri.fsPath));
  return (await projectFiles.exists(path)) ? path : undefined;
}
