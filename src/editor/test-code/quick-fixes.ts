import * as vscode from "vscode";
import { addressed } from "../window/addressed-model.ts";
import { COMMANDS, type CommandId } from "../window/ids.ts";
import { TEST_LANGUAGES, type CodeDeps } from "./code-deps.ts";
import { missingIn } from "./miss-problems.ts";

/** What can be done about a missing call, in the order of use. */
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
  const id = missingIn(diagnostic, session);
  const call = session.state.missing.find((one) => one.id === id);
  if (call === undefined) return [];
  const fix = (title: string, command: CommandId): vscode.CodeAction => {
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.command = { title, command, arguments: addressed([{ missing: call.id }], session.tag) };
    action.diagnostics = [diagnostic];
    return action;
  };
  const record = fix("Record this test", COMMANDS.recordCallTest);
  record.isPreferred = true;
  return [
    ...(session.trusted ? [record] : []),
    ...(call.miss.nearest ? [fix("Compare with the nearest recording", COMMANDS.compareWithNearest)] : []),
    ...(call.miss.nearest && session.trusted
      ? [fix("Accept the nearest recording's reply as it is", COMMANDS.acceptNearest)]
      : []),
    ...(call.miss.nearest?.proposal && session.trusted
      ? [fix("Ignore this difference…", COMMANDS.ignoreDifference)]
      : []),
    ...(session.trusted ? [fix("Write the reply by hand", COMMANDS.writeReply)] : []),
    fix("Show the missing call", COMMANDS.goToMissing),
  ];
}
