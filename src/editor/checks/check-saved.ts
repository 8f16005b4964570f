import * as path from "node:path";
import * as vscode from "vscode";
import { explain } from "../../core/errors.ts";
import { diagnosticFrom, type RecordingProblems } from "./check-recordings.ts";
import type { Log } from "../window/log.ts";
import { cassetteDir } from "../session/session-deck.ts";
import type { Session } from "../session/session.ts";

/**
 * A recording that a person edits is looked at when it is saved: whether it can still be read, and whether it holds
 * a secret now, which will be committed with it. So is one of which something was said, whoever changes it.
 */
export function watchSaved(session: Session, problems: RecordingProblems, log: Log): vscode.Disposable {
  const { saved } = problems;
  const look = (uri: vscode.Uri, entry: string): void => {
    lookAt(entry, session).then(
      (found) => saved.set(uri, found),
      (error: unknown) => log.warn(`${entry} could not be checked: ${explain(error)}`),
    );
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      const entry = uri.scheme === "file" ? entryOf(uri.fsPath, session) : undefined;
      if (entry !== undefined) look(uri, entry);
    }),
    session.onDidChangeRecordings(({ entry }) => {
      if (entry === undefined) return;
      const uri = vscode.Uri.file(path.join(session.deck.dir, entry));
      if (saved.has(uri)) look(uri, entry);
    }),
  );
}

/** Undefined for files of other folders: most that are saved. */
function entryOf(file: string, session: Session): string | undefined {
  const entry = path
    .relative(cassetteDir(session.folder.uri.fsPath, session.settings), file)
    .split(path.sep)
    .join("/");
  return entry.startsWith("calls/") ? entry : undefined;
}

async function lookAt(entry: string, session: Session): Promise<readonly vscode.Diagnostic[]> {
  const { dir, project } = session.deck;
  await project.refresh();
  const { inspectFile } = await import("./folder-check.ts");
  return (await inspectFile(dir, entry, project.current)).map(diagnosticFrom);
}
