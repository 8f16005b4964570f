import * as vscode from "vscode";
import { type TapedeckError, tapedeckError, wrongUsage } from "../../core/base/errors.ts";
import { isOutsideTests } from "../../core/call/test-names.ts";
import { type FoundTest, resolveTest } from "../test-discovery/found-test-model.ts";
import { pathIn } from "../window/folder-names.ts";
import { expectTestUri } from "../documents/uris.ts";
import type { CodeDeps } from "./test-files.ts";
import { type TestTarget, testOfItem } from "./test-target-model.ts";
import { visibleLine } from "../../core/base/visible.ts";

/** What a command is about in a file that lies in the workspace folder: a test, a suite, or all the file's tests. */
export interface TestPlace {
  readonly uri: vscode.Uri;
  readonly file: string;
  /** Every test of the file. */
  readonly tests: readonly FoundTest[];
  /** Undefined for the whole file. */
  readonly test: FoundTest | undefined;
}

/** Where a command's target is now. @throws TapedeckError where the test is not in its file any more. */
export async function placeOf(from: TestTarget, deps: CodeDeps): Promise<TestPlace> {
  const uri = uriOf(from, deps);
  if (uri === undefined) throw noTestHere();
  if (uri.scheme === "vscode-notebook-cell") throw notebookCell(uri);
  const file = pathIn(deps.session.folder, uri);
  if (file === undefined) throw elsewhere(uri, deps);
  const { tests } = await deps.files.testsIn(uri);
  const test = chooseTest(from, tests, uri);
  if (test === "file" && tests.length === 0) throw noTestsIn(uri);
  return { uri, file, tests, test: test === "file" ? undefined : test };
}

/** What a place is called where somebody reads it: on one line, whatever its title holds. */
export function placeTitle({ file, test }: Pick<TestPlace, "file" | "test">): string {
  return test === undefined ? file : `"${onOneLine(test.title)}"`;
}

function uriOf(from: TestTarget, { session }: CodeDeps): vscode.Uri | undefined {
  if (from.from === "cursor") return vscode.window.activeTextEditor?.document.uri;
  if (from.from === "call") return expectTestUri(session, from.target.test.file);
  return vscode.Uri.parse(from.target.uri, true);
}

function chooseTest(from: TestTarget, tests: readonly FoundTest[], uri: vscode.Uri): FoundTest | "file" {
  if (from.from === "item") {
    const found = testOfItem(tests, from.target);
    if (found) return found;
    throw noSuchTest(from.target.titles, uri);
  }
  if (from.from === "cursor" || from.from === "line") {
    const line = from.from === "line" ? from.target.line : cursorLine();
    const found = resolveTest(tests, { line });
    if (found) return found;
    throw noTestHere();
  }
  const name = from.from === "lens" ? from.target.test.path : from.target.test.name;
  if (name.length === 0 || (from.from === "call" && isOutsideTests(from.target.test))) return "file";
  const { line } = from.target.test;
  const pointer = from.from === "lens" ? { name, line } : from.target.test;
  const found = resolveTest(tests, pointer);
  if (found) return found;
  throw noSuchTest(name, uri);
}

const cursorLine = (): number => (vscode.window.activeTextEditor?.selection.active.line ?? 0) + 1;

function noTestHere(): TapedeckError {
  return wrongUsage(
    "There is no test here.",
    'Put the cursor into a test or a suite and try again, or run "Record Tests in File".',
  );
}

function notebookCell(uri: vscode.Uri): TapedeckError {
  return wrongUsage(
    `A cell of ${vscode.workspace.asRelativePath(uri)} is not a test, so it cannot be recorded alone.`,
    "Choose Record in the status bar and run the notebook's cells: their calls are recorded.",
  );
}

function noTestsIn(uri: vscode.Uri): TapedeckError {
  return wrongUsage(
    `No test was found in ${vscode.workspace.asRelativePath(uri)}.`,
    "Tapedeck finds tests in TypeScript, JavaScript and Python files; run others, scripts and notebooks in record mode from a terminal.",
  );
}

function noSuchTest(name: readonly string[], uri: vscode.Uri): TapedeckError {
  return wrongUsage(
    `The test "${onOneLine(name.join(" › "))}" is not in ${vscode.workspace.asRelativePath(uri)}.`,
    "It was renamed or taken away; run the tests once so that its calls are known again.",
  );
}

/** Each folder of a window has its own session, so this is a file of none, or a command that was made up. */
function elsewhere(uri: vscode.Uri, { session }: CodeDeps): TapedeckError {
  return tapedeckError(
    "tapedeck_usage",
    `${vscode.workspace.asRelativePath(uri)} does not lie in the folder "${session.folder.name}".`,
    {
      hint: "Add its folder to the workspace, or open it in a window of its own, to record and replay its tests.",
    },
  );
}

const LENGTH = 80;

/** A title for a place that has one line: no breaks, nothing that steers a terminal, not longer than is read. */
export function onOneLine(text: string): string {
  const characters = Array.from(visibleLine(text));
  return characters.length <= LENGTH
    ? characters.join("")
    : `${characters
        .slice(0, LENGTH - 1)
        .join("")
        .trimEnd()}…`;
}
