import * as vscode from "vscode";
import type { TestRef } from "../../core/exchange.ts";
import { fileUri, testUri } from "../views/recording-file.ts";
import { documentUri } from "../views/document-uri.ts";
import type { CodeDeps } from "./code-deps.ts";
import { missProblems, type MissProblem } from "./miss-problems-model.ts";

/** The code of a missing call's problem; stable, so that people can filter by it. */
export const MISS_CODE = "miss";
export const PROBLEM_SOURCE = "tapedeck";

/** A problem that knows its missing call. */
export class MissDiagnostic extends vscode.Diagnostic {
  readonly missing: string;
  readonly test: TestRef | undefined;
  readonly hasNearest: boolean;

  constructor(range: vscode.Range, { call, message }: MissProblem) {
    super(range, message, vscode.DiagnosticSeverity.Error);
    this.missing = call.id;
    this.test = call.test;
    this.hasNearest = call.miss.nearest !== undefined;
    this.source = PROBLEM_SOURCE;
    this.code = {
      value: MISS_CODE,
      target: documentUri({ of: { missing: call.id }, part: "all" }, call.miss.label),
    };
  }
}

/** Marks the tests whose calls are missing; a mark goes when its call is answered. */
export function registerMissProblems(deps: CodeDeps): vscode.Disposable {
  const collection = vscode.languages.createDiagnosticCollection("tapedeck");
  let shown: readonly string[] = [];
  let refreshing: Promise<void> = Promise.resolve();

  const refresh = async (): Promise<void> => {
    const { missing } = deps.session.state;
    const wanted = [...new Set(missing.flatMap(({ test }) => test?.file ?? []))];
    for (const file of shown) if (!wanted.includes(file)) collection.delete(testUri(deps.session, file));
    shown = wanted;
    for (const file of wanted) collection.set(testUri(deps.session, file), await diagnosticsOf(file, deps));
  };
  const later = (): void => {
    refreshing = refreshing.then(refresh).catch((error: unknown) => deps.log.error("problems", error));
  };
  return vscode.Disposable.from(
    collection,
    deps.session.onDidChange(later),
    vscode.workspace.onDidSaveTextDocument(later),
  );
}

async function diagnosticsOf(file: string, deps: CodeDeps): Promise<readonly MissDiagnostic[]> {
  const uri = testUri(deps.session, file);
  const problems = missProblems(deps.session.state.missing, file, await deps.files.testsIn(uri));
  const document = await vscode.workspace.openTextDocument(uri).then(
    (opened) => opened,
    () => undefined,
  );
  return problems.map((problem) => {
    const diagnostic = new MissDiagnostic(rangeOf(problem.line, document), problem);
    diagnostic.relatedInformation = related(problem, deps);
    return diagnostic;
  });
}

/** The text of the line, without the blanks around it. */
function rangeOf(line: number, document: vscode.TextDocument | undefined): vscode.Range {
  if (document === undefined || line > document.lineCount) return new vscode.Range(line - 1, 0, line - 1, 1);
  const { firstNonWhitespaceCharacterIndex: start, range } = document.lineAt(line - 1);
  return range.with(range.start.with({ character: start }));
}

function related({ call, at }: MissProblem, { session }: CodeDeps): vscode.DiagnosticRelatedInformation[] {
  const information = (uri: vscode.Uri, line: number, text: string): vscode.DiagnosticRelatedInformation =>
    new vscode.DiagnosticRelatedInformation(new vscode.Location(uri, new vscode.Position(line, 0)), text);
  const { nearest } = call.miss;
  return [
    ...(nearest ? [information(fileUri(session, nearest.entry), 0, "The nearest recording")] : []),
    ...(at ? [information(testUri(session, at.file), at.line - 1, "The call was made here")] : []),
  ];
}
