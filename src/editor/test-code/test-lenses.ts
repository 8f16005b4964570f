import * as vscode from "vscode";
import { addressArguments } from "../window/ids.ts";
import { ownPathIn } from "../window/folder-names.ts";
import { throttle } from "../window/throttle.ts";
import { type CodeDeps, TEST_LANGUAGES } from "./test-files.ts";
import { createKnownRecordings, fileState, testLenses } from "./test-lenses-model.ts";

/** While a folder is read or tests run, lenses are made anew at most so often. */
const EVERY_MS = 200;

/** CodeLens above tests: replay, record, and what is missing. They follow edits before saving. */
export function registerTestLenses(deps: CodeDeps): vscode.Disposable {
  const { session, index, files } = deps;
  const recordings = createKnownRecordings(session, index);
  const changed = new vscode.EventEmitter<void>();
  const tell = throttle(
    () => changed.fire(),
    () => EVERY_MS,
  );
  const change = (): void => {
    recordings.forget();
    tell();
  };
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    async provideCodeLenses(document, cancelled) {
      const file = ownPathIn(session.folder, document.uri);
      const { codeLens: level } = session.settings;
      if (file === undefined || level === "off" || !session.lifecycle.wanted) return [];
      const { tests } = await files.testsOf(document);
      if (tests.length === 0 || cancelled.isCancellationRequested) return [];
      const { findings, runs } = session.state;
      // Where nothing may run, a lens says what is missing alone, and no recording is read for it.
      if (session.trusted) index.readAll();
      const known = {
        recordings: session.trusted ? recordings.of(file) : [],
        findings,
        runs,
      };
      const options = { level, mayRun: session.trusted, uri: document.uri.toString() };
      return testLenses(fileState(tests, file, known), options).map(({ line, ...command }) => {
        const place = new vscode.Range(line - 1, 0, line - 1, 0);
        const args = addressArguments(command.arguments, session.tag);
        return new vscode.CodeLens(place, { ...command, arguments: args });
      });
    },
  };
  return vscode.Disposable.from(
    changed,
    tell,
    session.onDidChange(change),
    index.onDidChange(change),
    vscode.languages.registerCodeLensProvider(TEST_LANGUAGES, provider),
  );
}
