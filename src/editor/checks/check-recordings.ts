import * as path from "node:path";
import * as vscode from "vscode";
import { stat } from "node:fs/promises";
import { type CheckFinding, RULES, type RuleId } from "../../storage/check/findings.ts";
import { COMMANDS } from "../window/ids.ts";
import { PROBLEM_SOURCE, problemAt } from "../window/problem.ts";
import type { Session } from "../session/session.ts";
import { ownName } from "../window/folder-names.ts";
import type { Inspection } from "../../storage/check/inspect.ts";
import { sayInformation, sayWarning, showProgress } from "../window/messages.ts";
import { countText, plural } from "../../core/base/plural.ts";
import { explain } from "../../core/base/errors.ts";
import type { CallFacts } from "../calls/call-facts-model.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import { oneAtATime, throttle } from "../window/throttle.ts";
import type { Log } from "../window/log.ts";
import { cassetteDir } from "../session/session-deck.ts";
import { listsBy } from "../../core/base/group-by.ts";

const SEVERITIES = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
} as const;

/** The problems that the last check found, and those of files that changed since. */
export interface RecordingProblems extends vscode.Disposable {
  readonly collection: vscode.DiagnosticCollection;
  /** When the check began, in milliseconds since the epoch. */
  checkedAt: number;
}

export function createRecordingProblems(session: Session): RecordingProblems {
  const collection = vscode.languages.createDiagnosticCollection(ownName("tapedeck recordings", session.tag));
  return { collection, checkedAt: 0, dispose: () => collection.dispose() };
}

/** Does what `tapedeck check` does, and puts what it finds where it is, among the problems. */
export async function checkRecordings(session: Session, problems: RecordingProblems): Promise<void> {
  problems.collection.clear();
  problems.checkedAt = Date.now();
  const options = { where: "message", title: "Checking recordings", cancellable: true } as const;
  const found = await showProgress(options, (report, signal) => inspectFolder(session, report, signal));
  if (!found) return;
  const { dir } = session.deck;
  for (const [file, own] of listsBy(found.findings, ({ entry }) => path.join(dir, entry)))
    problems.collection.set(vscode.Uri.file(file), own.map(diagnosticFrom));
  await tell(found);
}

/** Gives recordings the names that the project's rules give them. */
export async function renameRecordings({ deck }: Session): Promise<void> {
  await deck.project.reload();
  const { renamed } = await deck.names.rename();
  void sayInformation(`${plural(renamed.length, "recording")} renamed.`);
}

/** Undefined where it was cancelled. */
async function inspectFolder(
  session: Session,
  report: (step: { readonly message: string; readonly increment: number }) => void,
  signal: AbortSignal,
): Promise<Inspection | undefined> {
  const { dir, store, project } = session.deck;
  let shown = 0;
  const [{ inspect }, { straysIn }] = await Promise.all([
    import("../../storage/check/inspect.ts"),
    import("../../storage/folder/find-recordings.ts"),
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
      report({ increment: percent - shown, message: `${countText(done)} of ${countText(all)}` });
      shown = percent;
    },
  });
  return signal.aborted ? undefined : found;
}

function diagnosticFrom({ rule, message, line, column }: CheckFinding): vscode.Diagnostic {
  const { level, hint } = RULES[rule];
  const problem = problemAt({ line, column }, `${message} ${hint}`, rule);
  problem.severity = SEVERITIES[level];
  return problem;
}

async function tell({ findings, recordings: count, isUsageKnown }: Inspection): Promise<void> {
  const recordings = plural(count, "recording");
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
 * Checks a recording again when it is saved in the editor, and one that has a problem when anybody changes it: whether it
 * can be read, and whether it contains a secret.
 */
export function watchRecordings(session: Session, problems: RecordingProblems, log: Log): vscode.Disposable {
  const { collection } = problems;
  const look = (uri: vscode.Uri, entry: string): void => {
    lookAt(entry, session).then(
      (found) => collection.set(uri, found),
      (error: unknown) => log.warn(`${entry} could not be checked: ${explain(error)}`),
    );
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      const entry = uri.scheme === "file" ? entryOf(uri.fsPath, session) : undefined;
      if (entry !== undefined) look(uri, entry);
    }),
    vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach((uri) => collection.delete(uri))),
    vscode.workspace.onDidRenameFiles(({ files }) =>
      files.forEach(({ oldUri }) => collection.delete(oldUri)),
    ),
    session.recordings.onDidChange(async ({ entry }) => {
      if (entry === undefined) return;
      const uri = vscode.Uri.file(path.join(session.deck.dir, entry));
      if (!collection.has(uri)) return;
      // Watchers may report late what was there when the check looked. File systems report fractions of milliseconds.
      const stats = await stat(uri.fsPath).catch(() => undefined);
      if (stats && Math.floor(stats.mtimeMs) <= problems.checkedAt) return;
      if (stats) look(uri, entry);
      else collection.delete(uri);
    }),
  );
}

/**
 * A file that turned out to be broken is a problem at once, before anybody checks the folder: the test that asks for it
 * is red. Each is looked at once, until it is another.
 */
export function watchBroken(
  session: Session,
  index: RecordingIndex,
  problems: RecordingProblems,
  log: Log,
): vscode.Disposable {
  const told = new Map<string, CallFacts>();
  const currentDir = (): string => cassetteDir(session.folder.uri.fsPath, session.settings);
  let dir = currentDir();
  const look = async (): Promise<void> => {
    if (dir !== currentDir()) {
      dir = currentDir();
      problems.collection.clear();
      told.clear();
    }
    const broken = new Map(
      [...index.known()].flatMap(([{ entry }, facts]) =>
        facts?.kind === "broken" ? [[entry, facts] as const] : [],
      ),
    );
    const changed = [
      ...[...told.keys()].filter((entry) => !broken.has(entry)),
      ...[...broken].flatMap(([entry, facts]) => (told.get(entry) === facts ? [] : [entry])),
    ];
    for (const entry of changed) {
      const uri = vscode.Uri.file(path.join(session.deck.dir, entry));
      const found = await lookAt(entry, session);
      problems.collection.set(uri, found);
      const facts = broken.get(entry);
      if (facts) told.set(entry, facts);
      else told.delete(entry);
    }
  };
  const again = throttle(
    oneAtATime(() => look().catch((error: unknown) => log.warn(`Broken files: ${explain(error)}`))),
    () => EVERY_MS,
  );
  return vscode.Disposable.from(again, index.onDidChange(again));
}

/** While a folder is read. */
const EVERY_MS = 1_000;

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
  const { inspectFile } = await import("../../storage/check/inspect-file.ts");
  return (await inspectFile(dir, entry, project.current)).map(diagnosticFrom);
}

/** What deleting the file puts right, by rule. */
const DELETIONS: Readonly<Partial<Record<RuleId, string>>> = {
  "same-file": "Delete this copy",
  duplicate: "Delete this last take: the one before it is replayed again",
  stale: "Delete this recording, whose test is gone",
  unused: "Delete this unused recording",
};

/** Quick fixes on what the check found. They are the editor's own file operations, so that its undo takes them back. */
export function registerCheckFixes(session: Session): vscode.Disposable {
  const provider: vscode.CodeActionProvider = {
    async provideCodeActions(document, _range, { diagnostics }) {
      const ours = diagnostics.filter(({ source }) => source === PROBLEM_SOURCE);
      return (await Promise.all(ours.map((one) => fixesOf(one, document.uri, session)))).flat();
    },
  };
  return vscode.languages.registerCodeActionsProvider({ scheme: "file" }, provider, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });
}

async function fixesOf(
  diagnostic: vscode.Diagnostic,
  uri: vscode.Uri,
  session: Session,
): Promise<readonly vscode.CodeAction[]> {
  const { dir } = session.deck;
  const entry = path.relative(dir, uri.fsPath).split(path.sep).join("/");
  if (entry.startsWith("../") || path.isAbsolute(entry)) return [];
  const rule = diagnostic.code;
  if (rule === "unreadable" || rule === "stray-file") {
    const { fittingPlace } = await import("../../storage/check/fitting-place.ts");
    const fitting = await fittingPlace(dir, entry);
    if (fitting === undefined) return [];
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(uri, vscode.Uri.file(path.join(dir, fitting)), { overwrite: false });
    return [fix("Rename it to fit its key", edit, diagnostic)];
  }
  if (rule === "misnamed") return [renameAll(diagnostic)];
  const title = Object.entries(DELETIONS).find(([id]) => id === rule)?.[1];
  if (title === undefined) return [];
  const edit = new vscode.WorkspaceEdit();
  edit.deleteFile(uri, { ignoreIfNotExists: true });
  return [fix(title, edit, diagnostic)];
}

/** All at once: names depend on one another. */
function renameAll(diagnostic: vscode.Diagnostic): vscode.CodeAction {
  const title = "Rename all recordings to fit their keys";
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { title, command: COMMANDS.checkRecordings, arguments: [{ fix: "names" }] };
  action.diagnostics = [diagnostic];
  return action;
}

function fix(title: string, edit: vscode.WorkspaceEdit, diagnostic: vscode.Diagnostic): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.edit = edit;
  action.diagnostics = [diagnostic];
  action.isPreferred = true;
  return action;
}
