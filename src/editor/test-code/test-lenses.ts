import * as vscode from "vscode";
import { addTagToArguments } from "../window/ids.ts";
import { getOwnPathIn } from "../window/folder-names.ts";
import { throttle } from "../window/throttle.ts";
import { type CodeDeps, TEST_LANGUAGES } from "./test-files.ts";
import { createTestLenses } from "./test-lenses-model.ts";
import { createKnownRecordings, computeFileState } from "./test-state-model.ts";

/**
 * Minimum time between two updates of the lenses while a folder is read or tests run. VS Code draws them only after a
 * pause of 250 ms or more between updates.
 */
const EVERY_MS = 1_000;

/** Registers the lenses above tests: replay, record, and missing calls. They follow unsaved edits. */
export function registerTestLenses(deps: CodeDeps): vscode.Disposable {
  const { session, index, files } = deps;
  const recordings = createKnownRecordings(session, index);
  const changed = new vscode.EventEmitter<void>();
  const notify = throttle(
    () => changed.fire(),
    () => EVERY_MS,
  );
  const change = (): void => {
    recordings.forget();
    notify();
  };
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    async provideCodeLenses(document, cancelled) {
      const file = getOwnPathIn(session.folder, document.uri);
      const { codeLens: level } = session.settings;
      if (file === undefined || level === "off" || !session.lifecycle.wanted) return [];
      const { tests } = await files.testsOf(document);
      if (tests.length === 0 || cancelled.isCancellationRequested) return [];
      const { findings, runs } = session.state;
      // In Restricted Mode, lenses show only missing calls, and no recordings are read.
      if (session.trusted) index.readAll();
      const known = {
        recordings: session.trusted ? recordings.of(file) : [],
        findings,
        runs,
      };
      const options = { level, mayRun: session.trusted, uri: document.uri.toString() };
      return createTestLenses(computeFileState(tests, file, known), options).map(({ line, ...command }) => {
        const place = new vscode.Range(line - 1, 0, line - 1, 0);
        const args = addTagToArguments(command.arguments, session.tag);
        return new vscode.CodeLens(place, { ...command, arguments: args });
      });
    },
  };
  return vscode.Disposable.from(
    changed,
    notify,
    session.onDidChange(change),
    index.onDidChange(change),
    vscode.languages.registerCodeLensProvider(TEST_LANGUAGES, provider),
  );
}
