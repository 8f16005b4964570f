import * as vscode from "vscode";
import type { TestFinder } from "../../test-discovery/find-tests.ts";
import { mayHaveTests } from "../../test-discovery/first-look.ts";
import type { FoundTest, FoundTests } from "../../test-discovery/found-test.ts";
import type { Log } from "../window/log.ts";
import type { Session } from "../session/session.ts";
import type { Documents } from "../documents/documents.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";

export type TestFiles = ReturnType<typeof createTestFiles>;

const NO_TESTS: FoundTests = { tests: [], isBroken: false };

/** The parser and its grammars are loaded when the first file with tests is read. */
export function createTestFiles(grammarsDir: string) {
  const read = new WeakMap<
    vscode.TextDocument,
    { readonly version: number; readonly isDirty: boolean; readonly tests: Promise<FoundTests> }
  >();
  /** The last state of each document without syntax errors. */
  const intact = new WeakMap<vscode.TextDocument, KnownTests>();
  let finder: Promise<TestFinder> | undefined;

  const findTests = async (text: string, languageId: string): Promise<FoundTests> => {
    finder ??= import("../../test-discovery/find-tests.ts").then(({ createTestFinder }) =>
      createTestFinder({ grammarsDir }),
    );
    return (await finder).findTests(text, languageId);
  };
  const readTests = async (document: vscode.TextDocument): Promise<FoundTests> => {
    const text = document.getText();
    if (!intact.has(document) && !mayHaveTests(text, document.languageId)) return NO_TESTS;
    const now = await findTests(text, document.languageId);
    const lines = text.split("\n");
    const known = intact.get(document);
    if (!now.isBroken) intact.set(document, { tests: now.tests, lines });
    // While a person types, half a suite would give its tests other names.
    else if (document.isDirty && known) return { ...now, tests: moveTests(known, lines) };
    return now;
  };
  const testsOf = (document: vscode.TextDocument): Promise<FoundTests> => {
    const { version, isDirty } = document;
    const known = read.get(document);
    if (known?.version === version && known.isDirty === isDirty) return known.tests;
    const tests = readTests(document);
    read.set(document, { version, isDirty, tests });
    tests.catch(() => read.delete(document)); // the next read retries
    return tests;
  };
  return {
    /** The tests of a document as it is now, including unsaved edits. */
    testsOf,
    /** The tests of any file; none if it cannot be read. */
    async testsIn(uri: vscode.Uri) {
      let document: vscode.TextDocument;
      try {
        document = await vscode.workspace.openTextDocument(uri);
      } catch {
        return NO_TESTS; // the file is gone
      }
      return testsOf(document);
    },
    dispose: () => void finder?.then((one) => one.dispose()).catch(() => {}),
  };
}

interface KnownTests {
  readonly tests: readonly FoundTest[];
  readonly lines: readonly string[];
}

/** Returns the tests with their lines after an edit. */
function moveTests({ tests, lines: before }: KnownTests, lines: readonly string[]): readonly FoundTest[] {
  const edited = before.findIndex((line, index) => line !== lines[index]);
  const by = edited < 0 ? 0 : lines.length - before.length;
  const move = (line: number): number => (line > edited ? line + by : line);
  return tests.map((test) => ({
    ...test,
    line: move(test.line),
    firstLine: move(test.firstLine),
    endLine: move(test.endLine),
  }));
}

/** Dependencies of the features on source files. */
export interface CodeDeps {
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly documents: Documents;
  readonly files: TestFiles;
  readonly log: Log;
}

export const TEST_LANGUAGES: vscode.DocumentSelector = [
  "typescript",
  "typescriptreact",
  "javascript",
  "javascriptreact",
  "python",
].map((language) => ({ language, scheme: "file" }));
