import * as vscode from "vscode";
import { homedir } from "node:os";
import { type TapedeckError, isTapedeckError } from "../../core/base/errors.ts";
import type { Session } from "../session/session.ts";
import { findRunner, projectFiles } from "../../test-discovery/project-runner.ts";
import { type PythonApi, findSelectedInterpreter } from "../../test-discovery/python-extension.ts";
import {
  type TestCommand,
  createCommandForTest,
  createCommandFromSetting,
} from "../../test-discovery/run-one.ts";
import type { TestPlace } from "../test-code/test-place.ts";

/** The command that runs a test, a suite, or a file, and the name of the runner for its TestRef. */
export interface TestStart {
  readonly command: TestCommand;
  readonly runner?: string;
}

/** Returns an error if no runner was detected or the setting is invalid. */
export async function createStart(
  { uri, test, tests }: TestPlace,
  session: Session,
): Promise<TestStart | TapedeckError> {
  const [file, workspaceFolder] = [uri.fsPath, session.folder.uri.fsPath];
  const { testCommand, python: chosen } = session.settings;
  if (testCommand.length > 0) {
    const command = createCommandFromSetting(testCommand, { file, workspaceFolder, test });
    return isTapedeckError(command) ? command : { command };
  }
  const python = chosen === "" ? await chosenInterpreter(session.folder) : withHome(chosen);
  const runner = await findRunner({ file, workspaceFolder, python });
  if (isTapedeckError(runner)) return runner;
  return { command: createCommandForTest(runner, file, test ?? tests), runner: runner.runner };
}

const withHome = (path: string): string => (path.startsWith("~/") ? homedir() + path.slice(1) : path);

/** Returns the interpreter that the user selected in the Python extension, or named in its setting. */
async function chosenInterpreter(folder: vscode.WorkspaceFolder): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi<vscode.Uri>>("ms-python.python");
  const selected = extension && (await findSelectedInterpreter(() => extension.activate(), folder.uri));
  if (selected !== undefined && (await projectFiles.exists(selected))) return selected;
  const chosen = vscode.workspace
    .getConfiguration("python", folder.uri)
    .get<string>("defaultInterpreterPath");
  if (chosen === undefined || chosen === "" || chosen === "python") return undefined;
  const path = withHome(chosen.replaceAll("${workspaceFolder}", folder.uri.fsPath));
  return (await projectFiles.exists(path)) ? path : undefined;
}
