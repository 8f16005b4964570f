import { joinSentences, localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { listMissingCalls } from "../findings/findings-model.ts";
import { type TapedeckError, explain, isTapedeckError, createWrongUsage } from "../../core/base/errors.ts";
import { type Key, type Mode, type TestRef, canLeaveMachine } from "../../core/call/call.ts";
import { type UnreachedReason, listKeysNotIn } from "../../server/why-unreached.ts";
import { type KeyedProvider, listKeyedProviders } from "../session/provider-keys.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { countOutcomes, formatCounts } from "../runs/call-counts-model.ts";
import type { Session } from "../session/session.ts";
import { expectTrust } from "../session/session-connection.ts";
import type { SessionRun } from "../session/session-runs.ts";
import type { CodeDeps } from "../test-code/test-files.ts";
import { type FailureButton, showFailure } from "../session/show-failure.ts";
import { type TestPlace, TITLE_CHARACTERS, findTestPlace, formatPlace } from "../test-code/test-place.ts";
import { type EndedTest, type RunQueue, describeBatch, formatBatchCounts, isAllWell } from "./batch-model.ts";
import { formatRunFooter, formatRunHeader, hasRunNothing } from "./run-text-model.ts";
import { TestTerminal } from "./test-terminal.ts";
import { COMMANDS, type CommandTable, addTagToArguments } from "../window/ids.ts";
import { askBeforeRun } from "../runs/paid-calls.ts";
import type { TestEnd } from "./test-process.ts";
import { flashStatus, showWarning, showProgress } from "../window/messages.ts";
import { shorten } from "../../core/view/row.ts";
import { leavesMachine } from "../../core/protocol/upstream-address.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { type TestTarget, readFileTarget, readTestTargets } from "../test-code/test-target-model.ts";
import { createCase } from "../../test-discovery/found-test.ts";
import { homedir } from "node:os";
import { findRunner, projectFiles } from "../../test-discovery/project-runner.ts";
import { type PythonApi, findSelectedInterpreter } from "../../test-discovery/python-extension.ts";
import {
  type TestCommand,
  createCommandForTest,
  createCommandFromSetting,
} from "../../test-discovery/run-one.ts";

/** The tests that one command runs one after another, in one terminal. The final message covers all of them. */
interface Batch {
  readonly ended: EndedTest[];
  terminal?: TestTerminal;
}

interface RunOneOptions {
  readonly mode: Mode;
  readonly overrides?: readonly (readonly [Key, Mode])[];
  readonly stopped: AbortSignal;
  readonly batch: Batch;
}

/** Runs a test, a suite, or a file in a separate run with a terminal. Resolves when it ends; true if it passed. */
async function runOne(place: TestPlace, options: RunOneOptions, deps: CodeDeps): Promise<boolean> {
  const { session } = deps;
  const { mode, overrides, stopped, batch } = options;
  const start = await createStart(place, session);
  if (isTapedeckError(start)) return cannotStart(start, deps);
  if (stopped.aborted) return false;
  const records = [mode, ...(overrides ?? []).map(([, own]) => own)].some(canLeaveMachine);
  const run = await session.connection.startRun({
    mode,
    test: createTestRef(place, start),
    isSeveral: place.test?.kind !== "test",
    ...(overrides && { overrides: new Map(overrides) }),
  });
  const title = records
    ? localize("Recording {0}", formatPlace(place))
    : localize("Replaying {0}", formatPlace(place));
  try {
    if (records && !(await askToPay(run, deps))) {
      run.end(undefined, null);
      return false;
    }
    const name = shorten(place.test?.title ?? place.file, TITLE_CHARACTERS);
    if (batch.terminal?.isOpen !== true)
      batch.terminal = new TestTerminal({
        kind: records ? "record" : "replay",
        folder: session.folder.uri.toString(),
        name: records ? localize("Record: {0}", name) : localize("Replay: {0}", name),
      });
    const { command } = start;
    const { terminal } = batch;
    const { environment } = run;
    const ended = terminal.run({ command, header: formatRunHeader(title, command), environment, stopped });
    const end = await trackProgress(title, ended, { events: run.events, session });
    const unreached = explainNoCalls(run, { end, output: terminal.output, records }, deps);
    const isSeveral = place.test?.kind !== "test";
    terminal.write(formatRunFooter({ end, events: run.events, unreached, isSeveral }));
    if (end.how === "failed") reportWrongCommand(end.reason, deps);
    const ranNothing = hasRunNothing(end, unreached);
    const passed = !ranNothing && end.how === "exited" && end.code === 0;
    if (!ranNothing) batch.ended.push({ title: formatPlace(place), passed, events: run.events });
    run.end(end.how === "exited" && !ranNothing ? passed : undefined, readProblem(unreached, place));
    if (unreached?.cause === "key") void offerKey(deps, unreached);
    return passed;
  } finally {
    run.end();
  }
}

/** Returns what is listed as a problem; null for a test that is skipped on purpose. */
function readProblem(unreached: UnreachedReason | undefined, { test }: TestPlace): UnreachedReason | null {
  if (unreached?.cause === "skipped" || (unreached?.cause === "no-test" && test?.isSkipped)) return null;
  return unreached ?? null;
}

function reportWrongCommand(reason: string, deps: CodeDeps): void {
  const what = localize("The test could not be started: {0}.", reason);
  const hint = localize("To change the command, edit the setting {0}.", TEST_COMMAND);
  cannotStart(createWrongUsage(what, hint), deps);
}

/**
 * Asks about the cost before the run starts, because a test can time out while a question about its first call is open.
 * If the providers of a workspace are unknown, asks about those with a key.
 */
async function askToPay({ environment, run: { test } }: SessionRun, deps: CodeDeps): Promise<boolean> {
  const { session } = deps;
  const known = findProviders(deps, test);
  const hasKey = ({ variables }: KeyedProvider): boolean =>
    listKeysNotIn(environment, [variables]).length === 0;
  // Tests can also read their key from a file.
  const some = known.length > 0 ? known : listKeyedProviders(session).filter(hasKey);
  const paid = some
    .map(({ name }) => name)
    .find((name) => leavesMachine(session.deck.providers.get(name)?.upstream));
  if (paid === undefined || (await askBeforeRun(paid))) return true;
  flashStatus("circle-slash", localize("Not started: paid calls were not allowed."), 8_000);
  return false;
}

function createTestRef({ file, test }: TestPlace, { runner }: TestStart): TestRef {
  return {
    file,
    name: test?.path ?? [],
    ...(test && { line: test.line }),
    ...(runner !== undefined && { runner }),
  };
}

/** Shows progress in the status bar, with the counts of the calls so far. */
function trackProgress<T>(
  title: string,
  work: Promise<T>,
  { events, session }: Pick<SessionRun, "events"> & { readonly session: Session },
): Promise<T> {
  return showProgress({ where: "status", title }, async (report) => {
    const counting = session.recordings.onDidCall(() =>
      report({ message: formatCounts(countOutcomes(events)) }),
    );
    try {
      return await work;
    } finally {
      counting.dispose();
    }
  });
}

/** Returns the reason why no call arrived; undefined if one did, or the run did not end. */
function explainNoCalls(
  run: SessionRun,
  { end, output, records }: { readonly end: TestEnd; readonly output: string; readonly records: boolean },
  deps: CodeDeps,
): UnreachedReason | undefined {
  if (end.how !== "exited" || run.events.length > 0) return undefined;
  const variables = findProviders(deps, run.run.test).map(({ variables: own }) => own);
  const keysMissing = records ? listKeysNotIn(run.environment, variables) : [];
  return run.whyUnreached({ keysMissing, output });
}

/** Returns the known providers of a test; if there are none, those of the workspace. */
function findProviders({ session, index }: CodeDeps, test?: TestRef): readonly KeyedProvider[] {
  const own = new Set(test && session.state.usage.entriesOf(test));
  const recorded = Array.from(index.known(), ([address]) => address);
  const used = recorded.filter(({ entry }) => own.has(entry));
  const missing = listMissingCalls(session.state.findings).map(({ miss }) => miss);
  const called = new Set(
    (used.length > 0 ? used : [...recorded, ...missing]).map(({ provider }) => provider),
  );
  return listKeyedProviders(session).filter(({ name }) => called.has(name));
}

async function offerKey({ session }: CodeDeps, { reason, variable }: UnreachedReason): Promise<void> {
  const message = joinSentences(localize("No call reached Tapedeck."), reason);
  if ((await showWarning(message, localize("Set Provider Key…"))) === undefined) return;
  await vscode.commands.executeCommand(COMMANDS.setKey, ...addTagToArguments([variable], session.tag));
}

const TEST_COMMAND = SETTINGS.testCommand.key;

/** Shows why the test was not started, with a button that opens the setting that its advice names. */
function cannotStart(failure: TapedeckError, { log }: CodeDeps): false {
  log.error(localize("The test was not started"), failure);
  void showFailure(failure);
  return false;
}

/** The command that runs a test, a suite, or a file, and the name of the runner for its TestRef. */
interface TestStart {
  readonly command: TestCommand;
  readonly runner?: string;
}

/** Returns an error if no runner was detected or the setting is invalid. */
async function createStart(
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

/** Commands that run tests. Each folder runs one at a time, because two runs of a project often share files. */
export function createRunCommands(deps: CodeDeps, queue: RunQueue) {
  const run: Run = (from, byDefault, batch) => runTest(from, { byDefault, batch, queue }, deps);
  const tests =
    (mode: Mode) =>
    (...args: readonly unknown[]): Promise<boolean> =>
      inTurn(readTestTargets(args), (from, batch) => run(from, mode, batch));
  const file =
    (mode: Mode) =>
    (argument: unknown): Promise<boolean> =>
      run(findFile(argument), mode, { ended: [] });
  return {
    [COMMANDS.recordTest]: tests("record"),
    [COMMANDS.replayTest]: tests("strict"),
    [COMMANDS.recordFile]: file("record"),
    [COMMANDS.replayFile]: file("strict"),
    [COMMANDS.stopRun]: () => queue.stop(),
  } satisfies Partial<CommandTable>;
}

/** Resolves to whether all passed. A test that cannot be run does not block the others. A stop also cancels the waiting ones. */
async function inTurn(
  targets: readonly TestTarget[],
  run: (from: TestTarget, batch: Batch) => Promise<boolean>,
): Promise<boolean> {
  const batch: Batch = { ended: [] };
  const ended = await Promise.allSettled(targets.map((from) => run(from, batch)));
  const failures = ended.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (targets.length > 1) void showEnd(batch, targets.length, failures.map(explain));
  else if (failures.length > 0) throw failures[0];
  return ended.every((one) => one.status === "fulfilled" && one.value);
}

/** Shows the results in the status bar, or in a message if a test failed. `failures`: reasons of tests that did not run. */
async function showEnd(
  { ended, terminal }: Batch,
  total: number,
  failures: readonly string[],
): Promise<void> {
  const result = describeBatch(ended, total);
  terminal?.write(`\n${result}\n`);
  const text = joinSentences(result, ...new Set(failures));
  if (failures.length === 0 && isAllWell(ended, total)) return flashStatus("check", text, 10_000);
  const chosen = await showWarning(text, ...(terminal ? [SHOW_OUTPUT] : []));
  if (chosen === SHOW_OUTPUT) terminal?.show();
}

const SHOW_OUTPUT = localize("Show Output");

/** Returns the file of a menu's argument, or else the open file. */
function findFile(argument: unknown): TestTarget {
  const open = vscode.window.activeTextEditor?.document.uri;
  return readFileTarget(argument) ?? readFileTarget(open) ?? { from: "cursor" };
}

interface RunTestOptions {
  readonly byDefault: Mode;
  readonly batch: Batch;
  readonly queue: RunQueue;
}

/** The button that runs all tests of a file in place of the one that is not there. */
function createFileButton(mode: Mode, uri: vscode.Uri): FailureButton {
  return mode === "record"
    ? { title: localize("Record Tests in File"), command: COMMANDS.recordFile, arguments: [uri] }
    : { title: localize("Replay Tests in File"), command: COMMANDS.replayFile, arguments: [uri] };
}

type Run = (from: TestTarget, byDefault: Mode, batch: Batch) => Promise<boolean>;

function runTest(
  from: TestTarget,
  { byDefault, batch, queue }: RunTestOptions,
  deps: CodeDeps,
): Promise<boolean> {
  // Before any program of the workspace runs.
  expectTrust();
  const { mode = byDefault, overrides } = from.from === "call" ? from.target : {};
  return queue.add(async (stopped) => {
    await vscode.workspace.saveAll(false); // runners read the files on disk
    const place = await findTestPlace(from, deps, (uri) => createFileButton(byDefault, uri));
    const test = place.test && from.from === "call" ? createCase(place.test, from.target.test) : place.test;
    const options = { mode, stopped, batch, ...pickDefined({ overrides }) };
    const passed = await runOne({ ...place, test }, options, deps);
    if (batch.ended.length > 0) deps.session.showResult(formatBatchCounts(batch.ended));
    return passed;
  });
}
