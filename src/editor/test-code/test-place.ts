import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { type TapedeckError, createTapedeckError, createWrongUsage } from "../../core/base/errors.ts";
import { isOutsideTests } from "../../core/call/test-names.ts";
import { type FoundTest, resolveTest } from "../../test-discovery/found-test.ts";
import { type FailureButton, offerButton } from "../session/show-failure.ts";
import { getPathIn } from "../window/folder-names.ts";
import { expectTestUri } from "../documents/uris.ts";
import type { CodeDeps } from "./test-files.ts";
import { type TestTarget, findTestOfItem } from "./test-target-model.ts";
import { shorten } from "../../core/view/row.ts";

/** The target of a command in a file of the workspace folder: a test, a suite, or all tests of the file. */
export interface TestPlace {
  readonly uri: vscode.Uri;
  readonly file: string;
  readonly tests: readonly FoundTest[];
  /** Undefined for the whole file. */
  readonly test: FoundTest | undefined;
}

/**
 * Finds the current place of a command's target. `wholeFile`: the button for a line that is in no test.
 * @throws TapedeckError if the test is no longer in its file
 */
export async function findTestPlace(
  from: TestTarget,
  deps: CodeDeps,
  wholeFile?: (uri: vscode.Uri) => FailureButton,
): Promise<TestPlace> {
  const uri = uriOf(from, deps);
  if (uri === undefined) throw noTestHere();
  const file = getPathIn(deps.session.folder, uri);
  if (file === undefined) throw elsewhere(uri, deps);
  const { tests } = await deps.files.testsIn(uri);
  const test = chooseTest(from, tests, uri);
  if (test !== undefined && test !== "file") return { uri, file, tests, test };
  if (tests.length === 0) throw noTestsIn(uri);
  if (test === undefined) throw wholeFile ? offerButton(noTestHere(), wholeFile(uri)) : noTestHere();
  return { uri, file, tests, test: undefined };
}

/** Returns the name of a place for people, on one line. */
export function formatPlace({ file, test }: Pick<TestPlace, "file" | "test">): string {
  return test === undefined ? file : `"${shorten(test.title, TITLE_CHARACTERS)}"`;
}

function uriOf(from: TestTarget, { session }: CodeDeps): vscode.Uri | undefined {
  if (from.from === "cursor") return vscode.window.activeTextEditor?.document.uri;
  if (from.from === "call") return expectTestUri(session, from.target.test.file);
  return vscode.Uri.parse(from.target.uri, true);
}

/** Undefined for a line that is in no test. */
function chooseTest(
  from: TestTarget,
  tests: readonly FoundTest[],
  uri: vscode.Uri,
): FoundTest | "file" | undefined {
  if (from.from === "item") {
    const found = findTestOfItem(tests, from.target);
    if (found) return found;
    throw noSuchTest(from.target.titles, uri);
  }
  if (from.from === "cursor" || from.from === "line") {
    const cursor = (vscode.window.activeTextEditor?.selection.active.line ?? 0) + 1;
    return resolveTest(tests, { line: from.from === "line" ? from.target.line : cursor });
  }
  const name = from.from === "lens" ? from.target.test.path : from.target.test.name;
  if (name.length === 0 || (from.from === "call" && isOutsideTests(from.target.test))) return "file";
  const { line } = from.target.test;
  const pointer = from.from === "lens" ? { name, line } : from.target.test;
  const found = resolveTest(tests, pointer);
  if (found) return found;
  throw noSuchTest(name, uri);
}

function noTestHere(): TapedeckError {
  return createWrongUsage(
    localize("There is no test here."),
    localize("Place the cursor in a test or a suite, and try again."),
  );
}

function noTestsIn(uri: vscode.Uri): TapedeckError {
  return createWrongUsage(
    localize("No test was found in {0}.", vscode.workspace.asRelativePath(uri)),
    localize(
      "Tapedeck finds tests in TypeScript, JavaScript, and Python files. Run other tests and scripts from a terminal in record mode.",
    ),
  );
}

function noSuchTest(name: readonly string[], uri: vscode.Uri): TapedeckError {
  return createWrongUsage(
    localize(
      'The test "{0}" is not in {1}.',
      shorten(name.join(" › "), TITLE_CHARACTERS),
      vscode.workspace.asRelativePath(uri),
    ),
    localize("It was renamed or deleted. Run the tests once to find its calls again."),
  );
}

/** Each folder of the window has its own session, so the file is in no folder, or the command is forged. */
function elsewhere(uri: vscode.Uri, { session }: CodeDeps): TapedeckError {
  return createTapedeckError(
    "tapedeck_usage",
    localize('{0} is not in the folder "{1}".', vscode.workspace.asRelativePath(uri), session.folder.name),
    {
      hint: localize(
        "To record and replay its tests, add its folder to the workspace, or open it in another window.",
      ),
    },
  );
}

/** Maximum characters of a title in a message. */
export const TITLE_CHARACTERS = 80;
