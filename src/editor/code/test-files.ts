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

export function createTestFiles(grammarsDir: string): TestFiles {
  const parsed = createParsedDocuments(grammarsDir);

  const testsOf = async (document: vscode.TextDocument): Promise<readonly FoundTest[]> => {
    const { languageId } = document;
    if (!hasGrammar(languageId) || !mayHaveTests(document.getText(), languageId)) return [];
    return (await parsed.current(document))?.tests() ?? [];
  };
  const listening = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument((change) => parsed.edit(change)),
    vscode.workspace.onDidCloseTextDocument((document) => parsed.forget(keyOf(document))),
  );
  return {
    testsOf,
    async testsIn(uri) {
      let document: vscode.TextDocument;
      try {
        document = await vscode.workspace.openTextDocument(uri);
      } catch {
        return []; // the file is gone: nothing can be pointed at
      }
      return testsOf(document);
    },
    dispose() {
      listening.dispose();
      parsed.dispose();
    },
  };
}

type Parsed = Promise<TestDocument | undefined>;

interface ParsedDocuments extends vscode.Disposable {
  /** The document as it is now; read it before you wait for anything else. */
  current(document: vscode.TextDocument): Parsed;
  edit(change: vscode.TextDocumentChangeEvent): void;
  forget(key: string): void;
}

function keyOf({ uri }: vscode.TextDocument): string {
  return uri.toString();
}

/** The parser and its grammars are loaded when the first file with tests is looked at. */
function createParsedDocuments(grammarsDir: string): ParsedDocuments {
  const parsed = new Map<string, Parsed>();
  let finder: Promise<TestFinder> | undefined;

  /** Whoever waits for `before` reads it before it is let go. */
  const renewed = async (document: vscode.TextDocument, before: Parsed | undefined): Parsed => {
    const known = await before?.catch(() => undefined);
    if (known?.text === document.getText()) return known;
    known?.dispose();
    finder ??= createTestFinder({ grammarsDir });
    return (await finder).open(document.getText(), document.languageId);
  };
  const forget = (key: string): void => {
    void parsed
      .get(key)
      ?.then((known) => known?.dispose())
      .catch(() => {});
    parsed.delete(key);
  };
  return {
    current(document) {
      const current = renewed(document, parsed.get(keyOf(document)));
      parsed.set(keyOf(document), current);
      return current;
    },
    edit({ document, contentChanges }) {
      // A failure to parse is told to whoever asked for the tests.
      void parsed
        .get(keyOf(document))
        ?.then((known) => known?.edit(contentChanges))
        .catch(() => {});
    },
    forget,
    dispose() {
      for (const key of parsed.keys()) forget(key);
      void finder?.then((one) => one.dispose()).catch(() => {});
    },
  };
}
