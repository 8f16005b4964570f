import { createAnswerCommands } from "../call-commands/answer-commands.ts";
import { createBrowseCommands } from "../call-commands/browse-commands.ts";
import { createCompareCommands, createOpenCommands } from "../call-commands/open-commands.ts";
import { createKeepCommands } from "../call-commands/keep-commands.ts";
import { createRecordCommands } from "../call-commands/record-commands.ts";
import { createCopyCommands } from "../call-commands/copy-commands.ts";
import type { ViewDeps } from "../call-commands/command-targets.ts";
import type * as vscode from "vscode";
import { createOverviewCommands } from "../documents/run-documents.ts";
import { createKeyCommands, createRuleCommands, createSessionCommands } from "./session-commands.ts";
import { createTeamCommands } from "./team-commands.ts";
import type { CodeDeps } from "../test-code/test-files.ts";
import {
  createReadTestCommands,
  createTimelineCommands,
  createShowCallsCommands,
} from "../test-code/show-calls.ts";
import { createRunCommands } from "../test-runs/run-test.ts";
import type { RunQueue } from "../test-runs/batch-model.ts";
import { createFindingCommands } from "../call-commands/finding-commands.ts";
import type { CommandTable } from "../window/ids.ts";
import type { ProviderKeys } from "../session/provider-keys.ts";

export interface CommandDeps {
  readonly code: CodeDeps;
  readonly views: ViewDeps;
  readonly problems: vscode.DiagnosticCollection;
  readonly queue: RunQueue;
  readonly keys: ProviderKeys;
}

/** Every command of the extension, done for one folder. Loaded when the first one is given. */
export function createFolderCommands(deps: CommandDeps): CommandTable {
  const { code, views, queue, keys } = deps;
  const { session, log } = code;
  const calls = { ...createOpenCommands(views), ...createKeepCommands(views), ...createCopyCommands(views) };
  const runs = createRunCommands(code, queue);
  return {
    ...createSessionCommands({ ...deps, session, log, refresh: () => views.caches.refresh() }),
    ...createKeyCommands(session, keys),
    ...createTeamCommands({ session, keys, log }),
    ...createOverviewCommands(session),
    ...runs,
    ...createReadTestCommands(code),
    ...createTimelineCommands(code),
    ...createBrowseCommands(views),
    ...calls,
    ...createCompareCommands(views),
    ...createRecordCommands(views, runs),
    ...createShowCallsCommands(code, calls),
    ...createAnswerCommands(views),
    ...createRuleCommands(views),
    ...createFindingCommands(views),
  };
}
