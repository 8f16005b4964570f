import * as vscode from "vscode";
import type { AgentProject, OpenMiss, TestRun, TestRunResult } from "../../agent/agent-project.ts";
import { withRules } from "../../core/config/edit-config.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import type { CallEvent } from "../../core/call/call.ts";
import { addSpending, NOTHING_SPENT } from "../../core/call/spending.ts";
import { countByOutcome } from "../../core/view/run-record/run-record.ts";
import { editProject } from "../session/edit-project.ts";
import { isMissingCall, type OpenFinding } from "../findings/findings-model.ts";
import type { Session } from "../session/session.ts";
import { expectTrust } from "../session/session-connection.ts";
import { WORKSPACE_RUN } from "../session/session-runs.ts";
import { convertLimits } from "../settings/settings-model.ts";
import { addTagToArguments, COMMANDS } from "../window/ids.ts";

/** The project of a folder in VS Code: its runs are those of the commands, with their terminal, marks, and views. */
export function createEditorProject(session: Session): AgentProject {
  return {
    root: session.folder.uri.fsPath,
    get deck() {
      return session.deck;
    },
    async refresh() {
      expectTrust();
      await session.deck.project.reload();
    },
    missing: async () => session.state.findings.flatMap(convertFinding),
    applyLimits: () => convertLimits(session.settings),
    async addRules(rules) {
      const before = new Set((await session.deck.store.list()).map(({ entry }) => entry));
      await editProject(session, (text) => withRules(text, rules), { isShown: false });
      return (await session.deck.store.list()).filter(({ entry }) => !before.has(entry)).length;
    },
    markNew: (recording) => session.recordings.propose(recording),
    run: (run) => runByCommand(run, session),
  };
}

/** Runs a test with the command that its buttons use, so that a person sees the terminal, and can stop it. */
async function runByCommand({ test, record, signal }: TestRun, session: Session): Promise<TestRunResult> {
  const events: CallEvent[] = [];
  const noting = session.recordings.onDidCall((event) => {
    if (event.run !== WORKSPACE_RUN && event.test?.file === test.file) events.push(event);
  });
  const stop = (): void => void vscode.commands.executeCommand(COMMANDS.stopRun);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const keys = record?.keys === undefined ? {} : { mode: "strict", overrides: [...record.keys] };
    const command = record === undefined ? COMMANDS.replayTest : COMMANDS.recordTest;
    const request = addTagToArguments([{ test, ...keys }], session.tag);
    const hasPassed = await vscode.commands.executeCommand(command, ...request);
    const ofFile = session.state.findings.filter((finding) => finding.test?.file === test.file);
    const missed = new Set(events.filter(({ outcome }) => outcome === "miss").map(({ key }) => key));
    const charges = events.flatMap(({ charge }) => charge ?? []);
    return {
      hasPassed: hasPassed === true,
      outcomes: countByOutcome(events),
      missing: ofFile.flatMap(convertFinding).filter(({ key }) => missed.has(key)),
      problems: ofFile.filter((finding) => !isMissingCall(finding)),
      spent: charges.length === 0 ? undefined : charges.reduce(addSpending, NOTHING_SPENT),
      output: "",
    };
  } finally {
    signal.removeEventListener("abort", stop);
    noting.dispose();
  }
}

function convertFinding(finding: OpenFinding): readonly OpenMiss[] {
  const { test, at, count } = finding;
  if (isMissingCall(finding)) {
    const { key, provider, operation, model, label } = finding.miss;
    const miss = { key, provider, operation, label, ...pickDefined({ model }) };
    return [{ ...miss, test, at, count, miss: finding.miss }];
  }
  const { kind, key, provider, label, why } = finding;
  if (kind !== "broken" || key === undefined || provider === undefined) return [];
  return [{ key, provider, operation: "", label, test, at, count, broken: why }];
}
