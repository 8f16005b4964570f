import * as vscode from "vscode";
import { TEST_LANGUAGES } from "../test-code/code-deps.ts";
import { ownPathIn } from "../window/folder-names.ts";
import type { Log } from "../window/log.ts";
import type { Session } from "../session/session.ts";
import type { RecordingIndex } from "../calls-tree/recording-index-model.ts";
import type { EditLooker } from "./edit-looker.ts";

/** A person types: so long after the last key the file is looked at. */
const AFTER_MS = 300;
/**
 * Tells the session what edits of source files will do to recordings, before any test runs. Files are looked at when
 * they are edited; what they are compared with is what their tests last ran.
 */
export function watchEdits(
  session: Session,
  index: RecordingIndex,
  { grammarsDir, log }: { readonly grammarsDir: string; readonly log: Log },
): vscode.Disposable {
  let loading: Promise<EditLooker> | undefined;
  /** Loaded with the first file or call there is to look at, and asked in the order in which they come. */
  const ask = (what: (looker: EditLooker) => unknown): void => {
    loading ??= import("./edit-looker.ts").then((loaded) =>
      loaded.createEditLooker(session, index, grammarsDir),
    );
    loading.then(what).catch((error: unknown) => log.error("edits", error));
  };
  const waiting = new Map<string, NodeJS.Timeout>();
  /** Files that were edited in this window: only of these anything is ever said. */
  const edited = new Map<string, vscode.TextDocument>();

  const soon = (file: string, document: vscode.TextDocument): void => {
    clearTimeout(waiting.get(file));
    const timer = setTimeout(() => {
      waiting.delete(file);
      ask((looker) => looker.look(file, document));
    }, AFTER_MS);
    waiting.set(file, timer);
  };
  const again = (): void => edited.forEach((document, file) => soon(file, document));
  const noteChange = (document: vscode.TextDocument): void => {
    const file = fileOf(document, session);
    if (file === undefined || !session.wanted || !session.trusted) return;
    edited.set(file, document);
    soon(file, document);
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0) noteChange(document);
    }),
    vscode.workspace.onDidOpenTextDocument((document) => {
      const file = session.wanted && session.trusted ? fileOf(document, session) : undefined;
      if (file !== undefined) ask((looker) => looker.opened(file));
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (edited.has(fileOf(document, session) ?? "")) noteChange(document);
    }),
    session.onDidCall((event) => {
      const files = [...edited.keys()];
      ask((looker) => looker.called(event, files));
      again();
    }),
    session.onDidChangeRecordings(again),
    { dispose: () => waiting.forEach((timer) => clearTimeout(timer)) },
    { dispose: () => loading && ask((looker) => looker.dispose()) },
  );
}

/** Relative to the folder, as tests name it; undefined for a file that can hold no prompt of its tests. */
function fileOf(document: vscode.TextDocument, { folder }: Session): string | undefined {
  return vscode.languages.match(TEST_LANGUAGES, document) === 0 ? undefined : ownPathIn(folder, document.uri);
}
