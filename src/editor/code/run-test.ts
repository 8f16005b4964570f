import * as vscode from "vscode";
import { explain, isTapedeckError, wrongUsage, type TapedeckError } from "../../core/errors.ts";
import type { Key, Mode, TestRef } from "../../core/exchange.ts";
import { canLeaveMachine } from "../../core/source/modes.ts";
import { SETTINGS } from "../settings-model.ts";
import type { FoundTest } from "../tests/found-test-model.ts";
import { resolveTest } from "../tests/resolve-test-model.ts";
import { testUri } from "../views/recording-file.ts";
import type { CodeDeps } from "./code-deps.ts";
import { runFooter, runHeader } from "./run-text-model.ts";
import { startOf, type TestStart } from "./test-command.ts";
import { runInTerminal } from "./test-terminal.ts";
import type { TestTarget } from "./test-target-model.ts";

/** A declared test in its file, which lies in the workspace folder. */
export interface Place {
  readonly uri: vscode.Uri;
  readonly file: string;
  readonly test: FoundTest;
}

export interface RunOneOptions {
  readonly mode: Mode;
  readonly overrides?: readonly (readonly [Key, Mode])[];
  readonly stopped: AbortSignal;
}

/** Where a command's target is now. @throws TapedeckError where the test is not in its file any more. */
export async function placeOf(from: TestTarget, deps: CodeDeps): Promise<Place> {
  const { uri, pointer, missing } = wanted(from, deps);
  const file = uri && deps.fileOf(uri);
  if (uri && file === undefined) {
    throw wrongUsage(
      `${vscode.workspace.asRelativePath(uri)} is not a file of the folder ${deps.session.folder.name}.`,
      "Tapedeck runs the tests of the first folder of the workspace.",
    );
  }
  const test = uri && resolveTest(await deps.files.testsIn(uri), pointer);
  if (uri && file !== undefined && test) return { uri, file, test };
  throw missing;
}

interface Wanted {
  readonly uri: vscode.Uri | undefined;
  readonly pointer: Parameters<typeof resolveTest>[1];
  /** What to say where it is not found. */
  readonly missing: TapedeckError;
}

function wanted(from: TestTarget, { session }: CodeDeps): Wanted {
  if (from.from === "lens") {
    const { path, line } = from.target.test;
    const uri = vscode.Uri.parse(from.target.uri, true);
    return { uri, pointer: { name: path, line }, missing: noSuchTest(path, uri) };
  }
  if (from.from === "call") {
    const uri = testUri(session, from.target.test.file);
    return { uri, pointer: from.target.test, missing: noSuchTest(from.target.test.name, uri) };
  }
  const editor = vscode.window.activeTextEditor;
  const [uri, line] =
    from.from === "line"
      ? [vscode.Uri.parse(from.target.uri, true), from.target.line]
      : [editor?.document.uri, (editor?.selection.active.line ?? 0) + 1];
  const missing = wrongUsage("There is no test here.", "Put the cursor into a test and try again.");
  return { uri, pointer: { line }, missing };
}

function noSuchTest(name: readonly string[], uri: vscode.Uri): TapedeckError {
  return wrongUsage(
    `The test "${name.join(" › ")}" is not in ${vscode.workspace.asRelativePath(uri)}.`,
    "It was renamed or taken away; run the tests once so that its calls are known again.",
  );
}

/** Runs one test in a run of its own, shown in a terminal. Resolves when it has ended; true where it passed. */
export async function runOne(place: Place, options: RunOneOptions, deps: CodeDeps): Promise<boolean> {
  const { session } = deps;
  const { mode, overrides, stopped } = options;
  const start = await startOf(place.test, place.uri, session);
  if (isTapedeckError(start)) {
    cannotStart(start, deps);
    return false;
  }
  if (stopped.aborted) return false;
  const run = await session.startRun({
    mode,
    test: refOf(place, start),
    ...(overrides && { overrides: new Map(overrides) }),
  });
  const records = [mode, ...(overrides ?? []).map(([, own]) => own)].some(canLeaveMachine);
  const title = `${records ? "Recording" : "Replaying"} "${place.test.title}"`;
  try {
    const terminal = runInTerminal({
      kind: records ? "record" : "replay",
      name: `${records ? "Record" : "Replay"}: ${place.test.title}`,
      command: start.command,
      header: runHeader(title, start.command),
      environment: run.environment,
    });
    const stop = (): void => terminal.stop();
    stopped.addEventListener("abort", stop, { once: true });
    if (stopped.aborted) stop();
    const end = await inProgress(title, terminal.ended);
    stopped.removeEventListener("abort", stop);
    const keysMissing = records ? keysNotIn(run.environment, deps) : [];
    terminal.write(runFooter({ end, events: run.events, keysMissing }));
    if (end.how === "failed") {
      const failure = `The test could not be started: ${end.reason}.`;
      cannotStart(wrongUsage(failure, `The setting ${TEST_COMMAND} says how to run one test.`), deps);
    }
    run.end(end.how === "exited" ? end.code === 0 : undefined);
    return end.how === "exited" && end.code === 0;
  } finally {
    run.end();
  }
}

function refOf({ file, test }: Place, { runner }: TestStart): TestRef {
  return { file, name: test.path, line: test.line, ...(runner !== undefined && { runner }) };
}

function inProgress<T>(title: string, work: Promise<T>): Thenable<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => work);
}

/** The variable of each provider that the workspace calls and whose key the process does not have. */
function keysNotIn(
  environment: Readonly<Record<string, string>>,
  { session: { deck, state }, index }: CodeDeps,
): readonly string[] {
  const called = [...index.known()].map(([{ provider }]) => provider);
  const missing = state.missing.map(({ miss }) => miss.provider);
  return [...new Set([...missing, ...called])].flatMap((name) => {
    const variables = deck.providers.get(name)?.keyVariables ?? [];
    return variables.some((variable) => environment[variable]) ? [] : variables.slice(0, 1);
  });
}

const TEST_COMMAND = SETTINGS.testCommand.key;

/** Nothing ran: the setting that says how to is one click away. */
function cannotStart(failure: TapedeckError, { log }: CodeDeps): void {
  log.error("run", failure);
  void offerSetting(explain(failure));
}

async function offerSetting(message: string): Promise<void> {
  const openSetting = "Open Setting";
  const chosen = await vscode.window.showErrorMessage(message, openSetting);
  if (chosen === undefined) return;
  await vscode.commands.executeCommand("workbench.action.openSettings", TEST_COMMAND);
}
