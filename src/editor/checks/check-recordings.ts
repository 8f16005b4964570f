import * as path from "node:path";
import * as vscode from "vscode";
import { ownName } from "../window/folder-names.ts";
import { problemAt } from "../window/problem.ts";
import { RULES, type Finding } from "../../storage/check/findings.ts";
import type { Inspection } from "../../storage/check/inspect.ts";
import type { Session } from "../session/session.ts";
import { sayInformation, sayWarning, showProgress } from "../window/messages.ts";
import { explain } from "../../core/errors.ts";
import type { Log } from "../window/log.ts";
import { cassetteDir } from "../session/session-deck.ts";

const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
} as const;

/** What the last check found, among the problems. */
export interface RecordingProblems extends vscode.Disposable {
  readonly collection: vscode.DiagnosticCollection;
  /** What was wrong with files by themselves when they were saved since. */
  readonly saved: vscode.DiagnosticCollection;
  /** When it began, in milliseconds since the epoch. */
  checkedAt: number;
}

export function createRecordingProblems(session: Session): RecordingProblems {
  const name = ownName("tapedeck recordings", session.tag);
  const collection = vscode.languages.createDiagnosticCollection(name);
  const saved = vscode.languages.createDiagnosticCollection(`${name} as saved`);
  const dispose = (): void => {
    collection.dispose();
    saved.dispose();
  };
  return { collection, saved, checkedAt: 0, dispose };
}

/** Does what `tapedeck check` does, and puts what it finds where it is, among the problems. */
export async function checkRecordings(session: Session, problems: RecordingProblems): Promise<void> {
  problems.collection.clear();
  problems.saved.clear();
  problems.checkedAt = Date.now();
  const options = { where: "message", title: "Checking recordings", cancellable: true } as const;
  const found = await showProgress(options, (report, signal) => inspectFolder(session, report, signal));
  if (!found) return;
  const { dir } = session.deck;
  const byFile = new Map<string, vscode.Diagnostic[]>();
  for (const finding of found.findings) {
    const file = path.join(dir, finding.entry);
    byFile.set(file, [...(byFile.get(file) ?? []), diagnosticFrom(finding)]);
  }
  for (const [file, diagnostics] of byFile) problems.collection.set(vscode.Uri.file(file), diagnostics);
  await tell(found);
}

/** Undefined where it was cancelled. */
async function inspectFolder(
  session: Session,
  report: (step: { readonly message: string; readonly increment: number }) => void,
  signal: AbortSignal,
): Promise<Inspection | undefined> {
  const { dir, store, project } = session.deck;
  let shown = 0;
  const { inspect } = await import("./folder-check.ts");
  const found = await inspect({
    store,
    dir,
    project: project.current,
    roots: [...new Set([session.folder.uri.fsPath, path.dirname(dir)])],
    signal,
    onProgress(done, all) {
      const percent = Math.floor((100 * done) / all);
      if (percent === shown) return;
      report({ increment: percent - shown, message: `${done} of ${all}` });
      shown = percent;
    },
  });
  return signal.aborted ? undefined : found;
}

function diagnosticFrom({ rule, message, line, column }: Finding): vscode.Diagnostic {
  const { level, hint } = RULES[rule];
  const problem = problemAt({ line, column }, `${message} ${hint}`, rule);
  problem.severity = SEVERITIES[level];
  return problem;
}

async function tell({ findings, recordings: count, isUsageKnown }: Inspection): Promise<void> {
  const recordings = count === 1 ? "1 recording" : `${count} recordings`;
  const unknown = isUsageKnown ? "" : " Which are unused is not known yet: a whole run of the tests tells.";
  if (findings.length === 0) {
    void sayInformation(`${recordings} checked, every one can be replayed.${unknown}`);
    return;
  }
  const files = new Set(findings.map(({ entry }) => entry)).size;
  const show = "Show Problems";
  const text = `${recordings} checked, ${files} ${files === 1 ? "file needs" : "files need"} a look.${unknown}`;
  if ((await sayWarning(text, show)) !== show) return;
  await vscode.commands.executeCommand("workbench.actions.view.problems");
}

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
