import * as vscode from "vscode";
import { addTagToArguments } from "../window/ids.ts";
import { getOwnPathIn } from "../window/folder-names.ts";
import { runOneAtATime, throttle } from "../window/throttle.ts";
import { type CodeDeps, TEST_LANGUAGES } from "./test-files.ts";
import { type TestLens, createTestLenses } from "./test-lenses-model.ts";
import { createKnownRecordings, computeFileState } from "./test-state-model.ts";

/** Minimum time between two updates of the lenses while a folder is read or tests run. */
const EVERY_MS = 200;
/** An editor that loses the focus drops its pending update, so it learns of each change once more after this time. */
const AGAIN_MS = 1_000;

/** Registers the lenses above tests: replay, record, and missing calls. They follow unsaved edits. */
export function registerTestLenses(deps: CodeDeps): vscode.Disposable {
  const { session, index } = deps;
  const recordings = createKnownRecordings(session, index);
  const createLenses = createReader(deps, recordings);
  const changed = new vscode.EventEmitter<void>();
  const shown = createShownLenses();
  let again: NodeJS.Timeout | undefined;
  // VS Code waits until changes pause, up to seconds, so it learns only of those that it would draw.
  const notify = throttle(
    runOneAtATime(async () => {
      const documents = vscode.window.visibleTextEditors.map((editor) => editor.document);
      const open = [...new Set(documents)].filter((document) => shown.has(document));
      const others = await Promise.all(
        open.map(async (document) => shown.note(document, await createLenses(document))),
      );
      if (!others.includes(true)) return;
      changed.fire();
      clearTimeout(again);
      again = setTimeout(() => changed.fire(), AGAIN_MS);
    }),
    () => EVERY_MS,
  );
  const change = (): void => {
    recordings.forget();
    notify();
  };
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    async provideCodeLenses(document) {
      const lenses = await createLenses(document);
      shown.note(document, lenses);
      return lenses.map(({ line, ...command }) => {
        const place = new vscode.Range(line - 1, 0, line - 1, 0);
        const args = addTagToArguments(command.arguments, session.tag);
        return new vscode.CodeLens(place, { ...command, arguments: args });
      });
    },
  };
  return vscode.Disposable.from(
    changed,
    notify,
    { dispose: () => clearTimeout(again) },
    session.onDidChange(change),
    index.onDidChange(change),
    vscode.languages.registerCodeLensProvider(TEST_LANGUAGES, provider),
  );
}

/** The last lenses of each document, as text. */
function createShownLenses() {
  const shown = new WeakMap<vscode.TextDocument, string>();
  return {
    has: (document: vscode.TextDocument) => shown.has(document),
    /** Returns whether they are other lenses than before. */
    note(document: vscode.TextDocument, lenses: readonly TestLens[]): boolean {
      const text = JSON.stringify(lenses);
      const isOther = shown.get(document) !== text;
      shown.set(document, text);
      return isOther;
    },
  };
}

function createReader(
  { session, index, files }: CodeDeps,
  recordings: ReturnType<typeof createKnownRecordings>,
) {
  return async (document: vscode.TextDocument): Promise<readonly TestLens[]> => {
    const file = getOwnPathIn(session.folder, document.uri);
    const { codeLens: level } = session.settings;
    if (file === undefined || level === "off" || !session.lifecycle.wanted) return [];
    const { tests } = await files.testsOf(document);
    if (tests.length === 0) return [];
    const { findings, runs } = session.state;
    // In Restricted Mode, lenses show only missing calls, and no recordings are read.
    if (session.trusted) index.readAll();
    const known = { recordings: session.trusted ? recordings.of(file) : [], findings, runs };
    const options = { level, mayRun: session.trusted, uri: document.uri.toString() };
    return createTestLenses(computeFileState(tests, file, known), options);
  };
}
