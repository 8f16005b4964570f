import * as path from "node:path";
import * as vscode from "vscode";
import type { Log } from "../log.ts";
import type { Session } from "../session.ts";
import type { RecordingIndex } from "../views/recording-index-model.ts";
import type { CodeDeps } from "./code-deps.ts";
import { watchEditedLines } from "./edited-lines.ts";
import { registerMissProblems } from "./miss-problems.ts";
import { registerQuickFixes } from "./quick-fixes.ts";
import { registerRunCommands } from "./run-commands.ts";
import { registerShowCalls } from "./show-calls.ts";
import { registerTerminalLinks } from "./terminal-links.ts";
import { createTestFiles } from "./test-files.ts";
import { registerTestLenses } from "./test-lenses.ts";

/** Everything on source files: lenses above tests, problems of missing calls, and running one test. */
export function registerCode(
  context: vscode.ExtensionContext,
  session: Session,
  index: RecordingIndex,
  log: Log,
): vscode.Disposable {
  const files = createTestFiles(path.join(context.extensionPath, "dist", "grammars"));
  const fileOf = (uri: vscode.Uri): string | undefined => {
    if (uri.scheme !== "file") return undefined;
    const parts = path.relative(session.folder.uri.fsPath, uri.fsPath).split(path.sep);
    const isOutside = parts[0] === ".." || path.isAbsolute(parts.join(path.sep));
    return isOutside ? undefined : parts.join("/");
  };
  const lines = watchEditedLines();
  const deps: CodeDeps = { session, index, files, lines, log, fileOf };
  return vscode.Disposable.from(
    files,
    lines,
    registerTestLenses(deps),
    registerMissProblems(deps),
    registerQuickFixes(deps),
    registerRunCommands(deps),
    registerShowCalls(deps),
    registerTerminalLinks(deps),
  );
}
