import * as vscode from "vscode";
import { explain, isTapedeckError, wrongUsage, type TapedeckError } from "../../core/errors.ts";
import type { Key, Mode, TestRef } from "../../core/call.ts";
import { canLeaveMachine } from "../../core/source/modes.ts";
import { isRestricted, withoutPreload } from "../../hooks/environment.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { countsOf } from "../runs/call-counts-model.ts";
import type { Session, SessionRun } from "../session/session.ts";
import { countsText } from "../status-bar/status-bar-model.ts";
import type { CodeDeps } from "../test-code/code-deps.ts";
import { onOneLine, placeTitle, type Place } from "../test-code/test-place.ts";
import { runFooter, runHeader } from "./run-text-model.ts";
import { startOf, type TestStart } from "./test-command.ts";
import { runInTerminal } from "./test-terminal.ts";
import { sayError, showProgress } from "../window/messages.ts";

interface RunOneOptions {
  readonly mode: Mode;
  readonly overrides?: readonly (readonly [Key, Mode])[];
  readonly stopped: AbortSignal;
}

/**
 * Runs a test, a suite or a file in a run of its own, shown in a terminal. Resolves when it has ended; true where
 * it passed.
 */
export async function runOne(place: Place, options: RunOneOptions, deps: CodeDeps): Promise<boolean> {
  const { session } = deps;
  const { mode, overrides, stopped } = options;
  const start = await startOf(place, session);
  if (isTapedeckError(start)) {
    cannotStart(start, deps);
    return false;
  }
  if (stopped.aborted) return false;
  const run = await session.startRun({
    mode,
    test: refOf(place, start),
    isSeveral: place.test?.kind !== "test",
    ...(overrides && { overrides: new Map(overrides) }),
  });
  const records = [mode, ...(overrides ?? []).map(([, own]) => own)].some(canLeaveMachine);
  const title = `${records ? "Recording" : "Replaying"} ${placeTitle(place)}`;
  try {
    const terminal = runInTerminal({
      kind: records ? "record" : "replay",
      folder: session.folder.uri.toString(),
      name: `${records ? "Record" : "Replay"}: ${place.test ? onOneLine(place.test.title) : onOneLine(place.file)}`,
      command: start.command,
      header: runHeader(title, start.command),
      environment: isRestricted(start.command.args) ? withoutPreload(run.environment) : run.environment,
    });
    const stop = (): void => terminal.stop();
    stopped.addEventListener("abort", stop, { once: true });
    if (stopped.aborted) stop();
    const end = await inProgress(title, terminal.ended, { events: run.events, session });
    stopped.removeEventListener("abort", stop);
    const keysMissing = records ? keysNotIn(run.environment, deps) : [];
    terminal.write(
      runFooter({ end, events: run.events, keysMissing, isSeveral: place.test?.kind !== "test" }),
    );
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
    const telling = session.onDidCall(() => report({ message: countsText(countsOf(events)) }));
    try {
      return await work;
    } finally {
      telling.dispose();
    }
  });
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
  const chosen = await sayError(message, openSetting);
  if (chosen === undefined) return;
  await vscode.commands.executeCommand("workbench.action.openSettings", TEST_COMMAND);
}
