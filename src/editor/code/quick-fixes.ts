import * as vscode from "vscode";
import { COMMANDS, type CommandId } from "../ids.ts";
import { TEST_LANGUAGES, type CodeDeps } from "./code-deps.ts";
import { MISS_CODE, PROBLEM_SOURCE } from "./miss-problems.ts";

/** What can be done about a missing call, in the order of use. */
export function registerQuickFixes(deps: CodeDeps): vscode.Disposable {
  const provider: vscode.CodeActionProvider = {
    provideCodeActions: (_document, _range, { diagnostics }) =>
      diagnostics.filter(isMiss).flatMap((diagnostic) => fixesOf(diagnostic, deps)),
  };
  return vscode.languages.registerCodeActionsProvider(TEST_LANGUAGES, provider, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });
}

/** The editor gives back problems as copies of what was set: the code's address names the call. */
function isMiss({ source, code }: vscode.Diagnostic): boolean {
  return source === PROBLEM_SOURCE && typeof code === "object" && code.value === MISS_CODE;
}

function fixesOf(diagnostic: vscode.Diagnostic, { session }: CodeDeps): readonly vscode.CodeAction[] {
  const { code } = diagnostic;
  const id = typeof code === "object" ? new URLSearchParams(code.target.query).get("missing") : null;
  const call = session.state.missing.find((one) => one.id === id);
  if (call === undefined) return [];
  const target = { missing: call.id };
  const fix = (title: string, command: CommandId): vscode.CodeAction => {
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.command = { title, command, arguments: [target] };
    action.diagnostics = [diagnostic];
    return action;
  };
  const record = fix("Record this test", COMMANDS.recordCallTest);
  record.isPreferred = true;
  return [
    ...(session.trusted ? [record] : []),
    ...(call.miss.nearest ? [fix("Compare with the nearest recording", COMMANDS.compareWithNearest)] : []),
    ...(session.trusted ? [fix("Write the reply by hand", COMMANDS.writeReply)] : []),
    fix("Show the missing call", COMMANDS.goToMissing),
  ];
}
