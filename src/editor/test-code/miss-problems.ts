import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { existsSync } from "node:fs";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { addTag, getPathIn } from "../window/folder-names.ts";
import { PROBLEM_SOURCE } from "../window/problem.ts";
import { type Action, listFindingActions } from "../findings/finding-actions-model.ts";
import { type OpenFinding, isAtOrIn, isFailure, isMissingCall } from "../findings/findings-model.ts";
import type { Session } from "../session/session.ts";
import { createCallUri, readSubjectOfUri, createTestUri } from "../documents/uris.ts";
import { runOneAtATime } from "../window/throttle.ts";
import { type CodeDeps, TEST_LANGUAGES } from "./test-files.ts";
import { type CallProblem, type ProblemPlaces, createProblemPlaces } from "./miss-problems-model.ts";
import { COMMANDS, createArguments } from "../window/ids.ts";

/** The code of the problems. It is stable, like the source. */
const CODE = "miss";

/** A pause in typing after which the marks are placed again, in milliseconds. */
const PAUSE_MS = 250;

/** Marks the tests whose calls are missing. A mark disappears when its call is answered. */
export function registerMissProblems(deps: CodeDeps): vscode.Disposable {
  const { session } = deps;
  // Collections must have different names. People see the source.
  const collection = vscode.languages.createDiagnosticCollection(addTag(PROBLEM_SOURCE, session.tag));
  const marks = createMarks(collection, deps);
  let typing: NodeJS.Timeout | undefined;
  const noteChange = ({ document }: vscode.TextDocumentChangeEvent): void => {
    if (!marks.concern(document.uri)) return;
    clearTimeout(typing);
    typing = setTimeout(marks.refresh, PAUSE_MS);
  };
  const noteSave = ({ uri }: vscode.TextDocument): void => {
    if (marks.concern(uri)) marks.refresh();
  };
  return vscode.Disposable.from(
    collection,
    { dispose: () => clearTimeout(typing) },
    session.onDidChange(marks.refresh),
    vscode.workspace.onDidChangeTextDocument(noteChange),
    vscode.workspace.onDidSaveTextDocument(noteSave),
    vscode.workspace.onDidDeleteFiles(() => dismissDeleted(session)),
    vscode.workspace.onDidRenameFiles(() => dismissDeleted(session)),
  );
}

/** Dismisses findings whose test file is gone. The next run finds what still applies under the new name. */
function dismissDeleted(session: Session): void {
  const isDeleted = ({ test }: OpenFinding): boolean => {
    const uri = test && createTestUri(session, test.file);
    return uri !== undefined && !existsSync(uri.fsPath);
  };
  session.findings.dismiss(session.state.findings.filter(isDeleted));
}

function createMarks(collection: vscode.DiagnosticCollection, deps: CodeDeps) {
  const { session, log } = deps;
  /** The marked calls and their lines, by file. */
  const shown = new Map<string, string>();
  const places = createProblemPlaces();

  const refreshFile = async (file: string): Promise<void> => {
    const uri = createTestUri(session, file);
    if (uri === undefined) return;
    const document = await documentAt(uri);
    if (document) await dismissDeletedTests(document, { file, places }, deps);
    const problems = document ? await problemsIn(document, { file, places }, deps) : [];
    const text = JSON.stringify(
      problems.map(({ call, line, message }) => [call.id, call.at, line, message, lengthOf(line, document)]),
    );
    if (problems.length === 0) collection.delete(uri);
    else if (shown.get(file) !== text)
      collection.set(
        uri,
        problems.map((problem) => diagnosticOf(problem, document, deps)),
      );
    shown.set(file, text);
  };
  const refresh = runOneAtATime(async () => {
    const files = new Set(markedIn(session).flatMap(({ test }) => test?.file ?? []));
    for (const file of shown.keys()) {
      if (files.has(file)) continue;
      shown.delete(file);
      const uri = createTestUri(session, file);
      if (uri) collection.delete(uri);
    }
    for (const file of files) await refreshFile(file).catch((error: unknown) => log.error(NOT_MARKED, error));
  });
  const concern = (uri: vscode.Uri): boolean => {
    const path = getPathIn(session.folder, uri);
    if (path === undefined) return false;
    return [...shown.keys()].some((file) => isAtOrIn(file, path));
  };
  return {
    refresh,
    /** Whether calls of tests in this file, or below this folder, are missing, marked or not. */
    concern,
  };
}

function markedIn({ state }: Session): readonly OpenFinding[] {
  return state.findings.filter((one) => one.kind === "missing" || isFailure(one));
}

interface ProblemSearch {
  readonly file: string;
  readonly places: ProblemPlaces;
}

/** Dismisses calls of tests that are no longer in the saved file. */
async function dismissDeletedTests(
  document: vscode.TextDocument,
  { file, places }: ProblemSearch,
  { files, session }: CodeDeps,
): Promise<void> {
  if (document.isDirty) return;
  const deleted = places.deletedIn(markedIn(session), file, await files.testsOf(document));
  if (deleted.length > 0) session.findings.dismiss(deleted);
}

async function problemsIn(
  document: vscode.TextDocument,
  { file, places }: ProblemSearch,
  { files, session, index }: CodeDeps,
): Promise<readonly CallProblem[]> {
  const problems = places.problemsOf(markedIn(session), file, await files.testsOf(document));
  await readNearest(problems, index);
  return problems;
}

/** Reads the nearest recordings, so that links to them have the usual titles of their tabs. */
function readNearest(problems: readonly CallProblem[], index: CodeDeps["index"]): Promise<void> {
  return index.ensure(
    problems.flatMap(({ call }) => {
      const entry = isMissingCall(call) ? call.miss.nearest?.entry : undefined;
      return entry === undefined || readCachedEntry(entry) ? [] : [entry];
    }),
  );
}

const NOT_MARKED = localize("A missing call cannot be marked");

/** Undefined if the file was deleted, even if its text is still open, because nothing can be marked in it. */
async function documentAt(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    await vscode.workspace.fs.stat(uri);
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

/** The length of the line, which the mark covers. */
function lengthOf(line: number, document: vscode.TextDocument | undefined): number {
  return document && line <= document.lineCount ? document.lineAt(line - 1).text.length : 0;
}

/** Finds a diagnostic's finding; undefined for other extensions' diagnostics. The editor returns copies of them. */
function findingIn({ source, code }: vscode.Diagnostic, { tag, state }: Session): OpenFinding | undefined {
  if (source !== PROBLEM_SOURCE || typeof code !== "object") return undefined;
  const { of, folder } = readSubjectOfUri(code.target) ?? {};
  if (of === undefined || !("finding" in of) || folder !== tag) return undefined;
  return state.findings.find(({ id }) => id === of.finding);
}

function diagnosticOf(
  problem: CallProblem,
  document: vscode.TextDocument | undefined,
  deps: CodeDeps,
): vscode.Diagnostic {
  const { call } = problem;
  const diagnostic = new vscode.Diagnostic(rangeOf(problem.line, document), problem.message);
  diagnostic.source = PROBLEM_SOURCE;
  const target = createCallUri({ finding: call.id }, "all", deps);
  diagnostic.code = { value: isMissingCall(call) ? CODE : call.kind, target };
  if (call.kind === "bypassed" || call.kind === "unreached")
    diagnostic.severity = vscode.DiagnosticSeverity.Warning;
  diagnostic.relatedInformation = relatedInformation(problem, deps);
  return diagnostic;
}

/** The range of the line's text without its indentation. */
function rangeOf(line: number, document: vscode.TextDocument | undefined): vscode.Range {
  if (document === undefined || line > document.lineCount) return new vscode.Range(line - 1, 0, line - 1, 1);
  const { firstNonWhitespaceCharacterIndex: start, range } = document.lineAt(line - 1);
  return range.with(range.start.with({ character: start }));
}

function relatedInformation(
  { call, at }: CallProblem,
  deps: CodeDeps,
): vscode.DiagnosticRelatedInformation[] {
  const { session } = deps;
  const information = (uri: vscode.Uri, line: number, text: string): vscode.DiagnosticRelatedInformation =>
    new vscode.DiagnosticRelatedInformation(new vscode.Location(uri, new vscode.Position(line, 0)), text);
  const nearest = isMissingCall(call) ? call.miss.nearest : undefined;
  const caller = at && createTestUri(session, at.file);
  return [
    ...(caller && at ? [information(caller, at.line - 1, localize("The call was made here"))] : []),
    ...(nearest
      ? [
          information(
            createCallUri({ entry: nearest.entry }, "all", deps),
            0,
            localize("The nearest recording"),
          ),
        ]
      : []),
  ];
}

/** Registers the actions on a missing call, in the order of use. */
export function registerQuickFixes(deps: CodeDeps): vscode.Disposable {
  const provider: vscode.CodeActionProvider = {
    provideCodeActions: (_document, _range, { diagnostics }) =>
      diagnostics.flatMap((diagnostic) => fixesOf(diagnostic, deps)),
  };
  return vscode.languages.registerCodeActionsProvider(TEST_LANGUAGES, provider, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });
}

function fixesOf(diagnostic: vscode.Diagnostic, { session }: CodeDeps): readonly vscode.CodeAction[] {
  const finding = findingIn(diagnostic, session);
  if (finding === undefined) return [];
  return fixesFor(finding, session).map(({ title, command, arguments: args }, index) => {
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.command = { title, command, arguments: createArguments(command, args, session.tag) };
    action.diagnostics = [diagnostic];
    action.isPreferred = index === 0 && session.trusted;
    return action;
  });
}

type Fix = Pick<Action, "title" | "command" | "arguments">;

/** Returns the actions of the page. For a missing call, recording the whole test is first. */
function fixesFor(finding: OpenFinding, session: Session): readonly Fix[] {
  const facts = { mayRun: session.trusted };
  const actions = listFindingActions(finding, facts).filter(({ command }) => command !== COMMANDS.goToTest);
  if (!isMissingCall(finding)) return actions;
  const isWhole = ({ command }: Fix): boolean => command === COMMANDS.recordTest;
  const target = { finding: finding.id };
  return [
    ...actions.filter(isWhole),
    ...actions.filter((one) => !isWhole(one)),
    { title: localize("Show the missing call"), command: COMMANDS.goToMissing, arguments: [target] },
  ];
}
