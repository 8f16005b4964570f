import { joinSentences, localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import * as vscode from "vscode";
import { existsSync } from "node:fs";
import type { CheckFinding, RULES } from "../../storage/check/findings.ts";
import { createProblem } from "../window/problem.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { Session } from "../session/session.ts";
import { addTag } from "../window/folder-names.ts";
import type { Inspection } from "../../storage/check/inspect.ts";
import { showInformation, showWarning, showProgress } from "../window/messages.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";
import { explain } from "../../core/base/errors.ts";
import type { Log } from "../window/log.ts";
import { getCassetteDir } from "../session/session-deck.ts";
import { mapGroups } from "../../core/base/group-by.ts";

const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
} as const;

/** The problems of the last check, and of files that changed since then. */
export const createRecordingProblems = (session: Session): vscode.DiagnosticCollection =>
  vscode.languages.createDiagnosticCollection(addTag("tapedeck recordings", session.tag));

/** Checks the recordings like `tapedeck check`, and shows the findings in the Problems view. */
export async function checkRecordings(
  session: Session,
  problems: vscode.DiagnosticCollection,
): Promise<void> {
  problems.clear();
  const options = { where: "message", title: localize("Checking recordings"), cancellable: true } as const;
  const found = await showProgress(options, (report, signal) => inspectFolder(session, report, signal));
  if (!found) return;
  const { dir } = session.deck;
  const toDiagnostic = await diagnosticReader();
  for (const [file, own] of mapGroups(found.findings, ({ entry }) => path.join(dir, entry)))
    problems.set(vscode.Uri.file(file), own.map(toDiagnostic));
  await showResult(found);
}

/** Undefined if it was canceled. */
async function inspectFolder(
  session: Session,
  report: (step: { readonly message: string; readonly increment: number }) => void,
  signal: AbortSignal,
): Promise<Inspection | undefined> {
  const { dir, store, project } = session.deck;
  let shown = 0;
  const [{ inspect }, { listStrays: straysIn }] = await Promise.all([
    import("../../storage/check/inspect.ts"),
    import("../../storage/folder/folder-store.ts"),
  ]);
  const found = await inspect({
    store,
    dir,
    project: project.current,
    strays: straysIn(dir),
    roots: [...new Set([session.folder.uri.fsPath, path.dirname(dir)])],
    signal,
    onProgress(done, all) {
      const percent = Math.floor((100 * done) / all);
      if (percent === shown) return;
      report({
        increment: percent - shown,
        message: localize("{0} of {1}", formatCount(done), formatCount(all)),
      });
      shown = percent;
    },
  });
  return signal.aborted ? undefined : found;
}

/** Loads the texts of the rules, which a window needs only after a check. */
async function diagnosticReader(): Promise<(finding: CheckFinding) => vscode.Diagnostic> {
  const { RULES: rules } = await import("../../storage/check/findings.ts");
  return (finding) => diagnosticFrom(finding, rules);
}

function diagnosticFrom(
  { rule, message, line, column }: CheckFinding,
  rules: typeof RULES,
): vscode.Diagnostic {
  const { level, hint } = rules[rule];
  const problem = createProblem({ line, column }, joinSentences(message, hint()), rule);
  problem.severity = SEVERITIES[level];
  return problem;
}

async function showResult({ findings, recordings, isUsageKnown }: Inspection): Promise<void> {
  const checked = localizeCount(recordings, "Checked {0} recording.", "Checked {0} recordings.");
  const unknown = isUsageKnown ? "" : localize("To find unused recordings, run all tests first.");
  if (findings.length === 0) {
    const good = joinSentences(checked, localize("All of them can be replayed."), unknown);
    void showInformation(recordings === 0 ? localize("There are no recordings to check.") : good);
    return;
  }
  const files = new Set(findings.map(({ entry }) => entry)).size;
  const show = localize("Show Problems");
  const problems = localizeCount(files, "{0} file has problems.", "{0} files have problems.");
  if ((await showWarning(joinSentences(checked, problems, unknown), show)) !== show) return;
  await vscode.commands.executeCommand("workbench.actions.view.problems");
}

/**
 * Checks whether a recording can be read and contains a secret: after it is saved in the editor, after the index could not
 * read it, and after any change if it has a problem.
 */
export function watchRecordings(
  session: Session,
  problems: vscode.DiagnosticCollection,
  { index, log }: { readonly index: RecordingIndex; readonly log: Log },
): vscode.Disposable {
  const currentDir = (): string => getCassetteDir(session.folder.uri.fsPath, session.settings);
  let dir = currentDir();
  const uriOf = (entry: string): vscode.Uri => vscode.Uri.file(path.join(session.deck.dir, entry));
  const look = (uri: vscode.Uri, entry: string): void => {
    lookAt(entry, session).then(
      (found) => problems.set(uri, found),
      (error: unknown) => log.warn(localize("{0} could not be checked: {1}", entry, explain(error))),
    );
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      const entry = uri.scheme === "file" ? entryOf(uri.fsPath, session) : undefined;
      if (entry !== undefined) look(uri, entry);
    }),
    index.onDidChange(() => {
      if (index.broken === 0) return;
      for (const [{ entry }, facts] of index.known()) {
        const uri = uriOf(entry);
        if (facts?.kind !== "broken" || problems.has(uri)) continue;
        // The index may change again before the result is there.
        problems.set(uri, []);
        look(uri, entry);
      }
    }),
    session.onDidChange(() => {
      if (dir === currentDir()) return;
      dir = currentDir();
      problems.clear();
    }),
    vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach((uri) => problems.delete(uri))),
    vscode.workspace.onDidRenameFiles(({ files }) => files.forEach(({ oldUri }) => problems.delete(oldUri))),
    session.recordings.onDidChange(({ entry }) => {
      if (entry === undefined) return;
      const uri = uriOf(entry);
      if (!problems.has(uri)) return;
      if (existsSync(uri.fsPath)) look(uri, entry);
      else problems.delete(uri);
    }),
  );
}

/** Returns the entry of a file; undefined for files of other folders, which are most saved files. */
function entryOf(file: string, session: Session): string | undefined {
  const entry = path
    .relative(getCassetteDir(session.folder.uri.fsPath, session.settings), file)
    .split(path.sep)
    .join("/");
  return entry.startsWith("calls/") ? entry : undefined;
}

async function lookAt(entry: string, session: Session): Promise<readonly vscode.Diagnostic[]> {
  const { dir, project } = session.deck;
  await project.refresh();
  const { inspectFile } = await import("../../storage/check/inspect-file.ts");
  const toDiagnostic = await diagnosticReader();
  return (await inspectFile(dir, entry, project.current)).map(toDiagnostic);
}
