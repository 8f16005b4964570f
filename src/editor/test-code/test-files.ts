import * as vscode from "vscode";
import type { FoundTest } from "../test-discovery/found-test-model.ts";
import type { TestFinder } from "../test-discovery/find-tests-model.ts";
import { grammarOf, mayHaveTests } from "../test-discovery/first-look-model.ts";
import { createTypingRest } from "./typing-rest-model.ts";
import { createSteadyTests, type SteadyTests } from "../test-discovery/steady-tests-model.ts";

/** The tests of source files: of open ones kept current while they are edited, of others read when asked for. */
export interface TestFiles extends vscode.Disposable {
  /** The tests of a document as it is now, edits that are not saved included. */
  testsOf(document: vscode.TextDocument): Promise<readonly FoundTest[]>;
  /** The tests of any file; none where it cannot be read. */
  testsIn(uri: vscode.Uri): Promise<readonly FoundTest[]>;
  /** Resolves once nobody types in the document any more. */
  rested(document: vscode.TextDocument, isOver?: () => boolean): Promise<void>;
}

export function createTestFiles(grammarsDir: string): TestFiles {
  const parsed = createParsedDocuments(grammarsDir);
  const typing = createTypingRest({
    now: () => performance.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });

  const testsOf = async (document: vscode.TextDocument): Promise<readonly FoundTest[]> => {
    const { languageId } = document;
    if (grammarOf(languageId) === undefined) return [];
    if (!parsed.has(document) && !mayHaveTests(document.getText(), languageId)) return [];
    const steady = await parsed.current(document);
    const began = performance.now();
    const tests = steady?.tests() ?? [];
    const ms = performance.now() - began;
    // Tests that were looked for before come at once.
    if (ms > 1) typing.took(keyOf(document), ms);
    return tests;
  };
  const listening = vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument((change) => {
      parsed.edit(change);
      if (change.contentChanges.length > 0 && parsed.has(change.document))
        typing.edited(keyOf(change.document));
    }),
    vscode.workspace.onDidSaveTextDocument((document) => parsed.saved(document)),
    vscode.workspace.onDidCloseTextDocument((document) => {
      parsed.forget(keyOf(document));
      typing.forget(keyOf(document));
    }),
  );
  return {
    testsOf,
    rested: (document, isOver) => typing.rested(keyOf(document), isOver),
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

/** A document that is parsed, or will be: until then there is nothing to keep current. */
interface Parsed {
  readonly languageId: string;
  steady: SteadyTests | undefined;
  opening: Promise<void> | undefined;
}

interface ParsedDocuments extends vscode.Disposable {
  has(document: vscode.TextDocument): boolean;
  /** The document as it is now; read it before you wait for anything else. */
  current(document: vscode.TextDocument): Promise<SteadyTests | undefined>;
  edit(change: vscode.TextDocumentChangeEvent): void;
  saved(document: vscode.TextDocument): void;
  forget(key: string): void;
}

const keyOf = ({ uri }: vscode.TextDocument): string => uri.toString();

/** The parser and its grammars are loaded when the first file with tests is looked at. */
function createParsedDocuments(grammarsDir: string): ParsedDocuments {
  const parsed = new Map<string, Parsed>();
  let finder: Promise<TestFinder> | undefined;

  const open = async (one: Parsed, document: vscode.TextDocument): Promise<void> => {
    finder ??= import("../test-discovery/find-tests-model.ts").then(({ createTestFinder }) =>
      createTestFinder({ grammarsDir }),
    );
    const opened = await (await finder).open(document.getText(), one.languageId);
    const steady = opened && createSteadyTests(opened);
    if (parsed.get(keyOf(document)) === one) one.steady = steady;
    else steady?.dispose();
  };
  const forget = (key: string): void => {
    parsed.get(key)?.steady?.dispose();
    parsed.delete(key);
  };
  return {
    has: (document) => parsed.has(keyOf(document)),
    async current(document) {
      const key = keyOf(document);
      const { languageId } = document;
      if (parsed.get(key)?.languageId !== languageId) forget(key);
      const one: Parsed = parsed.get(key) ?? { languageId, steady: undefined, opening: undefined };
      parsed.set(key, one);
      one.opening ??= open(one, document).catch((error: unknown) => {
        if (parsed.get(key) === one) forget(key); // the next look tries again
        throw error;
      });
      await one.opening;
      // What was typed while the grammar was read came to nobody.
      if (one.steady && one.steady.text !== document.getText())
        one.steady.edit([{ rangeOffset: 0, rangeLength: one.steady.text.length, text: document.getText() }]);
      return one.steady;
    },
    edit({ document, contentChanges }) {
      const steady = parsed.get(keyOf(document))?.steady;
      if (contentChanges.length > 0) steady?.edit(contentChanges);
    },
    saved: (document) => parsed.get(keyOf(document))?.steady?.saved(),
    forget,
    dispose() {
      for (const key of parsed.keys()) forget(key);
      void finder?.then((one) => one.dispose()).catch(() => {});
    },
  };
}
