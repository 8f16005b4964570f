import * as vscode from "vscode";
import { fileUri, testUri } from "../views/recording-file.ts";
import { documentUri, subjectOf } from "../views/document-uri.ts";
import type { CodeDeps } from "./code-deps.ts";
import { missProblems, type MissProblem } from "./miss-problems-model.ts";

/** Who speaks, and of what: stable, so that people can filter by them. */
const SOURCE = "tapedeck";
const CODE = "miss";

/** Marks the tests whose calls are missing; a mark goes when its call is answered. */
export function registerMissProblems(deps: CodeDeps): vscode.Disposable {
  const { session, log } = deps;
  const collection = vscode.languages.createDiagnosticCollection(SOURCE);
  const shown = new Map<string, string>();
  let work: Promise<void> | undefined;
  let isOutdated = false;

  const refresh = async (): Promise<void> => {
    const { missing } = session.state;
    const wanted = new Set(missing.flatMap(({ test }) => test?.file ?? []));
    for (const file of shown.keys()) {
      if (wanted.has(file)) continue;
      shown.delete(file);
      collection.delete(testUri(session, file));
    }
    for (const file of wanted) {
      // What is marked already moves with the edits: it is marked anew only for another call, or after saving.
      const calls = missing.filter(({ test }) => test?.file === file).map(({ id, at }) => `${id} ${at}`);
      if (shown.get(file) === calls.join("\n")) continue;
      shown.set(file, calls.join("\n"));
      collection.set(testUri(session, file), await diagnosticsOf(file, deps));
    }
  };
  const later = (): void => {
    isOutdated = true;
    work ??= (async () => {
      while (isOutdated) {
        isOutdated = false;
        await refresh().catch((error: unknown) => log.error("problems", error));
      }
      work = undefined;
    })();
  };
  const saved = (document: vscode.TextDocument): void => {
    const file = deps.fileOf(document.uri);
    if (file !== undefined && shown.delete(file)) later();
  };
  return vscode.Disposable.from(
    collection,
    session.onDidChange(later),
    vscode.workspace.onDidSaveTextDocument(saved),
  );
}

/** The missing call of a problem: undefined for a problem of somebody else's. The editor gives back copies. */
export function missingIn({ source, code }: vscode.Diagnostic): string | undefined {
  if (source !== SOURCE || typeof code !== "object" || code.value !== CODE) return undefined;
  const { of } = subjectOf(code.target) ?? {};
  return of && "missing" in of ? of.missing : undefined;
}

async function diagnosticsOf(file: string, deps: CodeDeps): Promise<readonly vscode.Diagnostic[]> {
  const uri = testUri(deps.session, file);
  const problems = missProblems(deps.session.state.missing, file, await deps.files.testsIn(uri));
  const document = await vscode.workspace.openTextDocument(uri).then(
    (opened) => opened,
    () => undefined, // the file is gone: its line is all there is to say
  );
  return problems.map((problem) => {
    const { miss, id } = problem.call;
    const diagnostic = new vscode.Diagnostic(rangeOf(problem.line, document), problem.message);
    diagnostic.source = SOURCE;
    diagnostic.code = {
      value: CODE,
      target: documentUri({ of: { missing: id }, part: "all" }, miss.label),
    };
    diagnostic.relatedInformation = related(problem, deps);
    return diagnostic;
  });
}

/** The text of the line, without the blanks before it. */
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
    ...(at ? [information(testUri(session, at.file), at.line - 1, "The call was made here")] : []),
    ...(nearest ? [information(fileUri(session, nearest.entry), 0, "The nearest recording")] : []),
  ];
}
