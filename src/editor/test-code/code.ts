import * as vscode from "vscode";
import type { CommandFeature } from "../window/commands.ts";
import type { CodeDeps } from "./code-deps.ts";
import { registerMissProblems } from "./miss-problems.ts";
import { registerQuickFixes } from "./quick-fixes.ts";
import { createRunCommands } from "../test-runs/run-commands.ts";
import { showCallsCommands } from "./show-calls.ts";
import { registerTerminalLinks } from "./terminal-links.ts";
import { registerTestLenses } from "./test-lenses.ts";

/** Everything on a folder's source files: lenses above tests, problems of missing calls, and running one test. */
export function registerCode(deps: CodeDeps): CommandFeature {
  const running = createRunCommands(deps);
  const parts = vscode.Disposable.from(
    registerTestLenses(deps),
    registerMissProblems(deps),
    registerQuickFixes(deps),
    registerTerminalLinks(deps),
    running,
  );
  return {
    commands: { ...running.commands, ...showCallsCommands(deps) },
    dispose: () => parts.dispose(),
  };
}
