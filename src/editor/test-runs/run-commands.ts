import * as vscode from "vscode";
import { missingCalls } from "../findings/findings-model.ts";
import { explain, tapedeckError } from "../../core/base/errors.ts";
import type { Mode } from "../../core/call/call.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { type CommandTable, COMMANDS } from "../window/ids.ts";
import { byTests, recordingLater, requestsByTest } from "../test-code/record-request-model.ts";
import type { CodeDeps } from "../test-code/code-deps.ts";
import { caseOf } from "../test-discovery/found-test-model.ts";
import { type Batch, batchText, createBatch, isAllWell, type RunQueue } from "./batch-model.ts";
import { runOne } from "./run-test.ts";
import { placeOf } from "../test-code/test-place.ts";
import { fileTargetFrom, testTargetsFrom, type TestTarget } from "../test-code/test-target-model.ts";
import { faultOf, type OfferedFault } from "../mocks/faults-model.ts";
import { pickFault } from "../mocks/pick-fault.ts";
import { flashStatus, sayWarning } from "../window/messages.ts";

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
  /** What goes wrong in it on purpose. */
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
