import * as vscode from "vscode";
import { missingCalls } from "../findings/findings-model.ts";
import {
  type TapedeckError,
  explain,
  isTapedeckError,
  tapedeckError,
  wrongUsage,
} from "../../core/base/errors.ts";
import { type Key, type Mode, type TestRef, canLeaveMachine } from "../../core/call/call.ts";
import { type Unreached, keysNotIn } from "../../server/why-unreached.ts";
import { type KeyedProvider, keyedProviders } from "../session/provider-keys.ts";
import { variablesFor } from "../../hooks/environment.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { countsOf, countsText } from "../runs/call-counts-model.ts";
import type { Session } from "../session/session.ts";
import type { SessionRun } from "../session/session-runs.ts";
import type { CodeDeps } from "../test-code/test-files.ts";
import { type TestPlace, onOneLine, placeOf, placeTitle } from "../test-code/test-place.ts";
import { type Batch, type RunQueue, batchText, createBatch, isAllWell } from "./batch-model.ts";
import { runFooter, runHeader } from "./run-text-model.ts";
import { type TestStart, startOf } from "./test-command.ts";
import { type TestTerminal, runInTerminal } from "./test-terminal.ts";
import { COMMANDS, type CommandTable, addressArguments } from "../window/ids.ts";
import { askBeforeRun } from "../runs/paid-calls.ts";
import {
  type FaultRun,
  OFFERED_FAULTS,
  type OfferedFault,
  faultOf,
  faultRunOf,
} from "../mocks/faults-model.ts";
import type { TestEnd } from "./test-process.ts";
import { flashStatus, sayError, sayWarning, showProgress } from "../window/messages.ts";
import { leavesMachine } from "../../core/protocol/upstream-address.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import {
  type TestTarget,
  byTests,
  fileTargetFrom,
  recordingLater,
  requestsByTest,
  testTargetsFrom,
} from "../test-code/test-target-model.ts";
import { caseOf } from "../test-discovery/found-test-model.ts";
import { pickOne } from "../window/picks.ts";

interface RunOneOptions {
  readonly mode: Mode;
  readonly overrides?: readonly (readonly [Key, Mode])[];
  readonly stopped: AbortSignal;
  /** Planned faults. */
  readonly fault?: OfferedFault;
  /** It is one of several that were asked for together. */
  readonly batch?: Batch;
}

/**
 * Runs a test, a suite or a file in a run of its own, shown in a terminal. Resolves when it has ended; true where
 * it passed.
 */
async function runOne(place: TestPlace, options: RunOneOptions, deps: CodeDeps): Promise<boolean> {
  const { session } = deps;
  const { mode, overrides, stopped, batch, fault } = options;
  const start = await startOf(place, session);
  if (isTapedeckError(start)) return cannotStart(start, deps);
  if (stopped.aborted) return false;
  const records = [mode, ...(overrides ?? []).map(([, own]) => own)].some(canLeaveMachine);
  const run = await session.connection.startRun({
    mode,
    test: refOf(place, start),
    isSeveral: place.test?.kind !== "test",
    ...(overrides && { overrides: new Map(overrides) }),
    ...(fault && { faults: fault.faults }),
  });
  const title = titleOf(place, { records, fault });
  try {
    if (records && !(await mayPay(run, deps))) {
      run.end(undefined, null);
      return false;
    }
    const terminal = runInTerminal({
      kind: records ? "record" : "replay",
      folder: session.folder.uri.toString(),
      name: `${records ? "Record" : "Replay"}: ${place.test ? onOneLine(place.test.title) : onOneLine(place.file)}`,
      command: start.command,
      header: runHeader(title, start.command),
      batch,
      environment: variablesFor([start.command.command, ...start.command.args], run.environment),
    });
    const ended = waitForEnd(terminal, stopped);
    const end = await inProgress(title, ended, { events: run.events, session });
    const unreached = whyNone(run, { end, output: terminal.output(), records }, deps);
    const isSeveral = place.test?.kind !== "test";
    const withFault = fault && endedWithFault(run, { fault, end });
    terminal.write(runFooter({ end, events: run.events, unreached, isSeveral, withFault }));
    if (end.how === "failed") {
      const hint = `The setting ${TEST_COMMAND} says how to run one test.`;
      cannotStart(wrongUsage(`The test could not be started: ${end.reason}.`, hint), deps);
    }
    const passed = end.how === "exited" && end.code === 0;
    noteIn(batch, { title: placeTitle(place), passed, events: run.events }, terminal);
    if (withFault) session.findings.add(withFault);
    // What passed or failed with a fault says nothing of the test without one.
    run.end(end.how === "exited" && !fault ? passed : undefined, unreached ?? null);
    if (unreached?.cause === "key") void offerKey(deps, unreached);
    return passed;
  } finally {
    run.end();
  }
}

/** When a run has ended, which a stop makes it do. */
async function waitForEnd(terminal: TestTerminal, stopped: AbortSignal): Promise<TestEnd> {
  const stop = (): void => terminal.stop();
  stopped.addEventListener("abort", stop, { once: true });
  if (stopped.aborted) stop();
  const end = await terminal.ended;
  stopped.removeEventListener("abort", stop);
  return end;
}

function titleOf(
  place: TestPlace,
  { records, fault }: { readonly records: boolean; readonly fault: OfferedFault | undefined },
): string {
  return `${records ? "Recording" : "Replaying"} ${placeTitle(place)}${fault ? ` with ${fault.text}` : ""}`;
}

/** How a run with a fault ended; undefined where it did not even begin. */
function endedWithFault(
  { run: { test }, events }: SessionRun,
  { fault, end }: { readonly fault: OfferedFault; readonly end: TestEnd },
): FaultRun | undefined {
  if (test === undefined || end.how === "failed") return undefined;
  const ended = end.how === "stopped" ? "stopped" : end.code === 0 ? "passed" : "failed";
  return faultRunOf({ test, fault: fault.text, ended, at: Date.now() }, events);
}

function noteIn(batch: Batch | undefined, ended: Batch["ended"][number], terminal: TestTerminal): void {
  if (batch === undefined) return;
  batch.ended.push(ended);
  Object.assign(batch, { show: () => terminal.show(), write: (text: string) => terminal.write(text) });
}

/**
 * Asks about cost before anything starts: a question that comes with the first call outlives a test that gives up
 * after seconds. Where nobody knows whom a workspace calls, those of whom there is a key are meant.
 */
async function mayPay({ environment, run: { test } }: SessionRun, deps: CodeDeps): Promise<boolean> {
  const { session } = deps;
  const known = providersOf(deps, test);
  const hasKey = ({ variables }: KeyedProvider): boolean => keysNotIn(environment, [variables]).length === 0;
  // A key may also come from a file that tests read for themselves.
  const some = known.length > 0 ? known : keyedProviders(session).filter(hasKey);
  const paid = some
    .map(({ name }) => name)
    .find((name) => leavesMachine(session.deck.providers.get(name)?.upstream));
  const refusal = paid === undefined ? undefined : await askBeforeRun(paid);
  if (refusal !== undefined) flashStatus("circle-slash", `Not started: ${refusal.message}`, 8_000);
  return refusal === undefined;
}

function refOf({ file, test }: TestPlace, { runner }: TestStart): TestRef {
  return {
    file,
    name: test?.path ?? [],
    ...(test && { line: test.line }),
    ...(runner !== undefined && { runner }),
  };
}

/** In the window's status, with what the calls became so far. */
function inProgress<T>(
  title: string,
  work: Promise<T>,
  { events, session }: Pick<SessionRun, "events"> & { readonly session: Session },
): Promise<T> {
  return showProgress({ where: "status", title }, async (report) => {
    const telling = session.recordings.onDidCall(() => report({ message: countsText(countsOf(events)) }));
    try {
      return await work;
    } finally {
      telling.dispose();
    }
  });
}

/** Why no call came; undefined where one did, or the run was not over. The key that is missing can be given at once. */
function whyNone(
  run: SessionRun,
  { end, output, records }: { readonly end: TestEnd; readonly output: string; readonly records: boolean },
  deps: CodeDeps,
): Unreached | undefined {
  if (end.how !== "exited" || run.events.length > 0) return undefined;
  const variables = providersOf(deps, run.run.test).map(({ variables: own }) => own);
  const keysMissing = records ? keysNotIn(run.environment, variables) : [];
  return run.whyUnreached({ keysMissing, output });
}

/** The providers that a test calls, else those that the workspace calls, as far as that is known. */
function providersOf({ session, index }: CodeDeps, test?: TestRef): readonly KeyedProvider[] {
  const own = new Set(test && session.state.entriesOf(test));
  const recorded = Array.from(index.known(), ([address]) => address);
  const used = recorded.filter(({ entry }) => own.has(entry));
  const missing = missingCalls(session.state.findings).map(({ miss }) => miss);
  const called = new Set(
    (used.length > 0 ? used : [...recorded, ...missing]).map(({ provider }) => provider),
  );
  return keyedProviders(session).filter(({ name }) => called.has(name));
}

async function offerKey({ session }: CodeDeps, { why, variable }: Unreached): Promise<void> {
  const set = "Set Provider Key…";
  if ((await sayWarning(`No call reached Tapedeck. ${why}`, set)) === undefined) return;
  await vscode.commands.executeCommand(COMMANDS.setKey, ...addressArguments([variable], session.tag));
}

const TEST_COMMAND = SETTINGS.testCommand.key;

/** Nothing ran: the setting that says how to is one click away. */
function cannotStart(failure: TapedeckError, { log }: CodeDeps): false {
  log.error("run", failure);
  void offerSetting(explain(failure));
  return false;
}

async function offerSetting(message: string): Promise<void> {
  const openSetting = "Open Setting";
  const chosen = await sayError(message, openSetting);
  if (chosen === undefined) return;
  await vscode.commands.executeCommand("workbench.action.openSettings", TEST_COMMAND);
}

/** The commands that run tests: one of a folder at a time, because two runs of one project often share its files. */
export function runCommands(deps: CodeDeps, queue: RunQueue) {
  const run: Run = (from, options) => runTest(from, options, queue, deps);
  const tests =
    (mode: Mode) =>
    (...args: readonly unknown[]): Promise<boolean> =>
      inTurn(testTargetsFrom(args), (from, batch) => run(from, { byDefault: mode, batch }));
  const file =
    (mode: Mode) =>
    (argument: unknown): Promise<boolean> =>
      run(fileAt(argument), { byDefault: mode });
  return {
    [COMMANDS.recordTest]: tests("record"),
    [COMMANDS.replayTest]: tests("strict"),
    [COMMANDS.runWithFault]: async (...args) => {
      const fault = faultOf(args) ?? (await pickFault());
      if (fault === undefined) return false;
      const how = { byDefault: "strict", fault } as const;
      return inTurn(testTargetsFrom(args), (from, batch) => run(from, { ...how, batch }));
    },
    [COMMANDS.recordFile]: file("record"),
    [COMMANDS.replayFile]: file("strict"),
    [COMMANDS.recordMissing]: () => recordMissing(deps, run),
    [COMMANDS.stopRun]: () => queue.stop(),
  } satisfies Partial<CommandTable>;
}

/** True where all passed. A stop ends those that wait as well. */
async function inTurn(
  targets: readonly TestTarget[],
  run: (from: TestTarget, batch: Batch | undefined) => Promise<boolean>,
): Promise<boolean> {
  const batch = targets.length > 1 ? createBatch() : undefined;
  const ended = await Promise.all(targets.map((from) => run(from, batch)));
  if (batch) void tellEnd(batch, targets.length, []);
  return ended.every(Boolean);
}

/** Where all is well the status bar is enough; `failures` are sentences about those that could not be run. */
async function tellEnd(batch: Batch, wanted: number, failures: readonly string[]): Promise<void> {
  if (wanted > 0) batch.write?.(`\n${batchText(batch, wanted)}\n`);
  const text = [...(wanted > 0 ? [batchText(batch, wanted)] : []), ...new Set(failures)].join(" ");
  if (failures.length === 0 && isAllWell(batch, wanted)) return flashStatus("check", text, 10_000);
  const { show } = batch;
  const chosen = await sayWarning(text, ...(show ? [SHOW_OUTPUT] : []));
  if (chosen === SHOW_OUTPUT) show?.();
}

const SHOW_OUTPUT = "Show Output";

/** The file that a menu means, else the one that is open. */
function fileAt(argument: unknown): TestTarget {
  const open = vscode.window.activeTextEditor?.document.uri;
  return fileTargetFrom(argument) ?? fileTargetFrom(open) ?? { from: "cursor" };
}

interface RunTestOptions {
  readonly byDefault: Mode;
  readonly batch?: Batch | undefined;
  /** Planned faults. */
  readonly fault?: OfferedFault;
}

type Run = (from: TestTarget, options: RunTestOptions) => Promise<boolean>;

function runTest(
  from: TestTarget,
  { byDefault, batch, fault }: RunTestOptions,
  queue: RunQueue,
  deps: CodeDeps,
): Promise<boolean> {
  // Before anything is asked of a program of the workspace.
  if (!deps.session.trusted) {
    throw tapedeckError("tapedeck_refused", "Tapedeck runs nothing in Restricted Mode.", {
      hint: "Trust the workspace to record and replay.",
    });
  }
  const { mode = byDefault, overrides } = from.from === "call" ? from.target : {};
  return queue.add(async (stopped) => {
    await vscode.workspace.saveAll(false); // a runner reads the disk
    const place = await placeOf(from, deps);
    const test = place.test && from.from === "call" ? caseOf(place.test, from.target.test) : place.test;
    const options = { mode, stopped, ...pickDefined({ overrides, batch, fault }) };
    return runOne({ ...place, test }, options, deps);
  });
}

/** Runs every test that misses a call, each once. One that cannot be run does not hold up the others. */
async function recordMissing({ session }: CodeDeps, run: Run): Promise<void> {
  const missing = missingCalls(session.state.findings);
  const { tested, untested } = byTests(missing);
  const batch = createBatch();
  const runs = requestsByTest(tested, { mode: "record" }).map((target) =>
    run({ from: "call", target }, { byDefault: "record", batch }),
  );
  const failures = (await Promise.allSettled(runs)).flatMap((one) =>
    one.status === "rejected" ? [explain(one.reason)] : [],
  );
  const later = recordingLater(untested);
  session.runs.recordNext(later.keys);
  if (later.text !== undefined) failures.push(later.text);
  void tellEnd(batch, runs.length, failures);
}

/** Lets a person pick a fault; undefined if they gave up. */
async function pickFault(): Promise<OfferedFault | undefined> {
  const items = OFFERED_FAULTS.map((fault) => ({ ...fault, label: `With ${fault.text}` }));
  return pickOne(items, {
    title: "Tapedeck: replay this with a fault on purpose",
    placeholder: "What goes wrong? Nothing is recorded, and nothing leaves this machine",
    matchOnDetail: true,
  });
}
