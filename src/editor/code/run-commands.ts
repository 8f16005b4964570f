import * as vscode from "vscode";
import { registerCommands } from "../commands.ts";
import { COMMANDS } from "../ids.ts";
import { requestsByTest, type RecordRequest } from "../views/record-request-model.ts";
import type { CodeDeps } from "./code-deps.ts";
import { placeOf, running, runOne, type RunOneOptions } from "./run-test.ts";
import { isLensTarget, testTargetFrom } from "./test-target-model.ts";

/** The commands that run tests: one at a time, because two runs of one project often share its files. */
export function registerRunCommands(deps: CodeDeps): vscode.Disposable {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (task: () => Promise<boolean>): Promise<boolean> => {
    const next = last.then(task);
    last = next.catch(() => {});
    return next;
  };
  const run = (argument: unknown, byDefault: RunOneOptions): Promise<boolean> => {
    const target = testTargetFrom(argument);
    const asked: Partial<RecordRequest> = target === undefined || isLensTarget(target) ? {} : target;
    const options = {
      mode: asked.mode ?? byDefault.mode,
      ...(asked.overrides && { overrides: asked.overrides }),
    };
    return inTurn(async () => runOne(await placeOf(target, deps), options, deps));
  };
  const commands = {
    [COMMANDS.recordTest]: (argument: unknown) => run(argument, { mode: "record" }),
    [COMMANDS.replayTest]: (argument: unknown) => run(argument, { mode: "strict" }),
    [COMMANDS.recordMissing]: () => recordMissing(deps, run),
    [COMMANDS.stopRun]: () => running.stopAll(),
  };
  return vscode.Disposable.from({ dispose: () => running.stopAll() }, registerCommands(commands, deps.log));
}

/** Runs every test that misses a call, each once. */
async function recordMissing(
  { session }: CodeDeps,
  run: (argument: unknown, byDefault: RunOneOptions) => Promise<boolean>,
): Promise<void> {
  const { missing } = session.state;
  const known = missing.flatMap(({ test, miss }) => (test ? [{ test, key: miss.key }] : []));
  const requests = requestsByTest(known, { mode: "record" });
  if (requests.length < new Set(missing).size && requests.length === 0) {
    const message = "No test is known to make the missing calls. Run the tests in record mode instead.";
    void vscode.window.showInformationMessage(message);
  }
  for (const request of requests) await run(request, { mode: "record" });
}
