import * as vscode from "vscode";
import { wrongUsage } from "../../core/errors.ts";
import type { Key, Mode, TestRef } from "../../core/exchange.ts";
import type { FoundTest } from "../tests/found-test-model.ts";
import { resolveTest } from "../tests/resolve-test-model.ts";
import { testUri } from "../views/recording-file.ts";
import type { RecordRequest } from "../views/record-request-model.ts";
import type { CodeDeps } from "./code-deps.ts";
import { runFooter, runHeader } from "./run-text-model.ts";
import { startOf } from "./test-command.ts";
import { runInTerminal } from "./test-terminal.ts";
import { isLensTarget, type LensTarget } from "./test-target-model.ts";

/** A declared test in its file. */
export interface Place {
  readonly uri: vscode.Uri;
  readonly test: FoundTest;
}

export interface RunOneOptions {
  readonly mode: Mode;
  readonly overrides?: readonly (readonly [Key, Mode])[];
}

/** Where a command's target is now. @throws TapedeckError where the test is not in its file any more. */
export async function placeOf(
  target: LensTarget | RecordRequest | undefined,
  deps: CodeDeps,
): Promise<Place> {
  if (target === undefined) return placeAtCursor(deps);
  const uri = isLensTarget(target) ? vscode.Uri.parse(target.uri) : testUri(deps.session, target.test.file);
  const tests = await deps.files.testsIn(uri);
  const test = isLensTarget(target)
    ? resolveTest(tests, { name: target.test.path, line: target.test.line })
    : resolveTest(tests, target.test);
  if (test !== undefined) return { uri, test };
  const name = isLensTarget(target) ? target.test.path : target.test.name;
  throw wrongUsage(
    `The test "${name.join(" › ")}" is not in ${vscode.workspace.asRelativePath(uri)}.`,
    "It was renamed or taken away; run the tests once so that its calls are known again.",
  );
}

async function placeAtCursor({ files }: CodeDeps): Promise<Place> {
  const editor = vscode.window.activeTextEditor;
  const tests = editor ? await files.testsOf(editor.document) : [];
  const line = (editor?.selection.active.line ?? 0) + 1;
  const test = resolveTest(tests, { line });
  if (editor && test) return { uri: editor.document.uri, test };
  throw wrongUsage("There is no test at the cursor.", "Put the cursor into a test and try again.");
}

/** Runs one test in a run of its own, shown in a terminal. Resolves when it has ended; true where it passed. */
export async function runOne({ uri, test }: Place, options: RunOneOptions, deps: CodeDeps): Promise<boolean> {
  const { session } = deps;
  const file = deps.fileOf(uri) ?? uri.fsPath;
  await vscode.workspace.textDocuments
    .find((one) => one.uri.toString() === uri.toString() && one.isDirty)
    ?.save();
  const { command, runner } = await startOf(test, uri, session);
  const ref: TestRef = { file, name: test.path, line: test.line, ...(runner !== undefined && { runner }) };
  const { mode, overrides } = options;
  const run = await session.startRun({
    mode,
    test: ref,
    ...(overrides && { overrides: new Map(overrides) }),
  });
  const records = mode !== "strict" || overrides !== undefined;
  const title = `${records ? "Recording" : "Replaying"} "${test.title}"`;
  const terminal = runInTerminal({
    name: records ? "Tapedeck: record" : "Tapedeck: replay",
    icon: records ? "record" : "play",
    command,
    header: runHeader(title, command),
    environment: run.environment,
  });
  const stopping = running.add(terminal.stop);
  try {
    const code = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title },
      () => terminal.ended,
    );
    terminal.write(runFooter(run.events, code));
    return code === 0;
  } finally {
    stopping.dispose();
    run.end();
  }
}

/** What is running now, for the command that stops it. */
export const running = createRunning();

function createRunning(): { add(stop: () => void): vscode.Disposable; stopAll(): void } {
  const stops = new Set<() => void>();
  return {
    add(stop) {
      stops.add(stop);
      return { dispose: () => stops.delete(stop) };
    },
    stopAll: () => stops.forEach((stop) => stop()),
  };
}
