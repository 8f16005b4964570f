import * as vscode from "vscode";
import { tapedeckError, wrongUsage, type TapedeckError } from "../../core/errors.ts";
import type { FoundTest } from "../tests/found-test-model.ts";
import { resolveTest } from "../tests/resolve-test-model.ts";
import { testUri } from "../views/recording-file.ts";
import type { CodeDeps } from "./code-deps.ts";
import { onOneLine } from "./one-line-model.ts";
import { testOfItem } from "./test-item-model.ts";
import type { TestTarget } from "./test-target-model.ts";

/** What a command is about in a file that lies in the workspace folder: a test, a suite, or all the file's tests. */
export interface Place {
  readonly uri: vscode.Uri;
  readonly file: string;
  /** Every test of the file. */
  readonly tests: readonly FoundTest[];
  /** Undefined for the whole file. */
  readonly test: FoundTest | undefined;
}

/** Where a command's target is now. @throws TapedeckError where the test is not in its file any more. */
export async function placeOf(from: TestTarget, deps: CodeDeps): Promise<Place> {
  const uri = uriOf(from, deps);
  if (uri === undefined) throw noTestHere();
  const file = deps.fileOf(uri);
  if (file === undefined) throw elsewhere(uri, deps);
  const tests = await deps.files.testsIn(uri);
  const test = chosen(from, tests, uri);
  if (test === "file" && tests.length === 0) throw noTestsIn(uri);
  return { uri, file, tests, test: test === "file" ? undefined : test };
}

/** What a place is called where somebody reads it: on one line, whatever its title holds. */
export function placeTitle({ file, test }: Pick<Place, "file" | "test">): string {
  return test === undefined ? file : `"${onOneLine(test.title)}"`;
}

function uriOf(from: TestTarget, { session }: CodeDeps): vscode.Uri | undefined {
  if (from.from === "cursor") return vscode.window.activeTextEditor?.document.uri;
  if (from.from === "call") return testUri(session, from.target.test.file);
  return vscode.Uri.parse(from.target.uri, true);
}

function chosen(from: TestTarget, tests: readonly FoundTest[], uri: vscode.Uri): FoundTest | "file" {
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
  if (name.length === 0) return "file";
  const { line } = from.target.test;
  const pointer = from.from === "lens" ? { name, line } : from.target.test;
  const found = resolveTest(tests, pointer);
  if (found) return found;
  throw noSuchTest(name, uri);
}

function cursorLine(): number {
  return (vscode.window.activeTextEditor?.selection.active.line ?? 0) + 1;
}

function noTestHere(): TapedeckError {
  return wrongUsage(
    "There is no test here.",
    'Put the cursor into a test or a suite and try again, or run "Record Tests in File".',
  );
}

function noTestsIn(uri: vscode.Uri): TapedeckError {
  return wrongUsage(
    `No test was found in ${vscode.workspace.asRelativePath(uri)}.`,
    "Tapedeck finds tests in TypeScript, JavaScript and Python files; run others in record mode from a terminal.",
  );
}

function noSuchTest(name: readonly string[], uri: vscode.Uri): TapedeckError {
  return wrongUsage(
    `The test "${onOneLine(name.join(" › "))}" is not in ${vscode.workspace.asRelativePath(uri)}.`,
    "It was renamed or taken away; run the tests once so that its calls are known again.",
  );
}

/** Says which folder Tapedeck works in: with several folders open it is not the file's. */
function elsewhere(uri: vscode.Uri, { session }: CodeDeps): TapedeckError {
  const path = vscode.workspace.asRelativePath(uri);
  const own = vscode.workspace.getWorkspaceFolder(uri);
  const works = `Tapedeck works in "${session.folder.name}", the first folder of this window`;
  return own === undefined
    ? tapedeckError("tapedeck_usage", `${path} lies in no folder of this window.`, { hint: `${works}.` })
    : tapedeckError("tapedeck_usage", `${path} belongs to the folder "${own.name}".`, {
        hint: `${works}. Open "${own.name}" in a window of its own to record and replay its tests.`,
      });
}
