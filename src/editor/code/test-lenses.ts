import * as vscode from "vscode";
import type { CodeDeps } from "./code-deps.ts";
import { TEST_LANGUAGES } from "./code-deps.ts";
import { knownRecordings } from "./known-recordings.ts";
import { testLenses } from "./test-lenses-model.ts";
import { testStates } from "./test-states-model.ts";

/** CodeLens above tests: replay, record, and what is missing. They follow edits before saving. */
export function registerTestLenses(deps: CodeDeps): vscode.Disposable {
  const { session, index, files } = deps;
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    async provideCodeLenses(document, cancelled) {
      const file = deps.fileOf(document.uri);
      const { codeLens: level } = session.settings;
      if (file === undefined || level === "off" || !session.wanted) return [];
      const tests = await files.testsOf(document);
      if (tests.length === 0 || cancelled.isCancellationRequested) return [];
      index.readAll();
      const known = { recordings: knownRecordings(session, index), missing: session.state.missing };
      const options = { level, mayRun: session.trusted, uri: document.uri.toString() };
      return testLenses(testStates(tests, file, known), options).map(({ line, ...command }) => {
        const place = new vscode.Range(line - 1, 0, line - 1, 0);
        return new vscode.CodeLens(place, { ...command, arguments: [...command.arguments] });
      });
    },
  };
  return vscode.Disposable.from(
    changed,
    session.onDidChange(() => changed.fire()),
    index.onDidChange(() => changed.fire()),
    vscode.languages.registerCodeLensProvider(TEST_LANGUAGES, provider),
  );
}
