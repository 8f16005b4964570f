import * as vscode from "vscode";
import { explain, tapedeckError } from "../../core/errors.ts";
import type { Mode } from "../../core/call.ts";
import { type CommandTable, COMMANDS } from "../window/ids.ts";
import { requestsByTest } from "../call-commands/record-request-model.ts";
import type { CodeDeps } from "../test-code/code-deps.ts";
import { createRunQueue, type RunQueue } from "./run-queue-model.ts";
import { runOne } from "./run-test.ts";
import { placeOf } from "../test-code/test-place.ts";
import { fileTargetFrom, testTargetsFrom, type TestTarget } from "../test-code/test-target-model.ts";
import { sayWarning } from "../window/messages.ts";

/** The commands that run tests: one of a folder at a time, because two runs of one project often share its files. */
export function createRunCommands(deps: CodeDeps) {
  const queue = createRunQueue();
  const run = (from: TestTarget, byDefault: Mode): Promise<boolean> => runTest(from, byDefault, queue, deps);
  const tests =
    (mode: Mode) =>
    (...args: readonly unknown[]): Promise<boolean> =>
      inTurn(testTargetsFrom(args), (from) => run(from, mode));
  const file =
    (mode: Mode) =>
    (argument: unknown): Promise<boolean> =>
      run(fileAt(argument), mode);
  const commands = {
    [COMMANDS.recordTest]: tests("record"),
    [COMMANDS.replayTest]: tests("strict"),
    [COMMANDS.recordItem]: tests("record"),
    [COMMANDS.replayItem]: tests("strict"),
    [COMMANDS.recordFile]: file("record"),
    [COMMANDS.replayFile]: file("strict"),
    [COMMANDS.recordMissing]: () => recordMissing(deps, run),
    [COMMANDS.stopRun]: () => queue.stop(),
  } satisfies Partial<CommandTable>;
  return { commands, dispose: () => queue.stop() };
}

/** True where all passed. A stop ends those that wait as well. */
async function inTurn(
  targets: readonly TestTarget[],
  run: (from: TestTarget) => Promise<boolean>,
): Promise<boolean> {
  const ended = await Promise.all(targets.map(run));
  return ended.every(Boolean);
}

/** The file that a menu means, else the one that is open. */
function fileAt(argument: unknown): TestTarget {
  const open = vscode.window.activeTextEditor?.document.uri;
  return fileTargetFrom(argument) ?? fileTargetFrom(open) ?? { from: "cursor" };
}

function runTest(from: TestTarget, byDefault: Mode, queue: RunQueue, deps: CodeDeps): Promise<boolean> {
  // Before anything is asked of a program of the workspace.
  if (!deps.session.trusted) {
    throw tapedeckError("tapedeck_refused", "Tapedeck runs nothing in Restricted Mode.", {
      hint: "Trust the workspace to record and replay.",
    });
  }
  const { mode = byDefault, overrides } = from.from === "call" ? from.target : {};
  return queue.add(async (stopped) => {
    await vscode.workspace.saveAll(false); // a runner reads the disk
    return runOne(await placeOf(from, deps), { mode, stopped, ...(overrides && { overrides }) }, deps);
  });
}

/** Runs every test that misses a call, each once. One that cannot be run does not hold up the others. */
async function recordMissing(
  { session }: CodeDeps,
  run: (from: TestTarget, byDefault: Mode) => Promise<boolean>,
): Promise<void> {
  const { missing } = session.state;
  const known = missing.flatMap(({ test, miss }) => (test ? [{ test, key: miss.key }] : []));
  const runs = requestsByTest(known, { mode: "record" }).map((target) =>
    run({ from: "call", target }, "record"),
  );
  const failures = (await Promise.allSettled(runs)).flatMap((one) =>
    one.status === "rejected" ? [explain(one.reason)] : [],
  );
  if (known.length < missing.length) {
    failures.push(
      `${missing.length - known.length} of the missing calls were made by no known test: run what makes them in record mode.`,
    );
  }
  if (failures.length > 0) void sayWarning([...new Set(failures)].join(" "));
}
