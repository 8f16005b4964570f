import * as vscode from "vscode";
import type { FoundTest } from "../tests/found-test-model.ts";
import {
  createTestFinder,
  hasGrammar,
  type TestDocument,
  type TestFinder,
} from "../tests/find-tests-model.ts";
import { mayHaveTests } from "../tests/may-have-tests-model.ts";

/** The tests of source files: of open ones kept current while they are edited, of others read when asked for. */
export interface TestFiles extends vscode.Disposable {
  /** The tests of a document as it is now, edits that are not saved included. */
  testsOf(document: vscode.TextDocument): Promise<readonly FoundTest[]>;
  /** The tests of any file; none where it cannot be read. */
  testsIn(uri: vscode.Uri): Promise<readonly FoundTest[]>;
}

/** The parser and its grammars are loaded when the first file with tests is looked at. */
export function createTestFiles(grammarsDir: string): TestFiles {
  const parsed = new Map<string, Promise<TestDocument | undefined>>();
  let finder: Promise<TestFinder> | undefined;

  const forget = async (key: string): Promise<void> => {
    const document = parsed.get(key);
    parsed.delete(key);
    (await document)?.dispose();
  };
  const open = async (text: string, languageId: string): Promise<TestDocument | undefined> =>
    (await (finder ??= createTestFinder({ grammarsDir }))).open(text, languageId);

  const testsOf = async (document: vscode.TextDocument): Promise<readonly FoundTest[]> => {
    const key = document.uri.toString();
    const text = document.getText();
    if (!hasGrammar(document.languageId) || !mayHaveTests(text, document.languageId)) return [];
    const known = await parsed.get(key);
    if (known?.text === document.getText()) return known.tests();
    await forget(key);
    const opened = open(document.getText(), document.languageId);
    parsed.set(key, opened);
    return (await opened)?.tests() ?? [];
  };

  const listening = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      void parsed.get(document.uri.toString())?.then((known) => known?.edit(contentChanges));
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => void forget(uri.toString())),
  );
  return {
    testsOf,
    async testsIn(uri) {
      try {
        return await testsOf(await vscode.workspace.openTextDocument(uri));
      } catch {
        return []; // the file is gone: nothing can be pointed at
      }
    },
    dispose() {
      listening.dispose();
      for (const key of parsed.keys()) void forget(key);
      void finder?.then((one) => one.dispose());
    },
  };
}
