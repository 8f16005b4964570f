import * as vscode from "vscode";
import type { TestRef } from "../../core/call.ts";
import { testTitle } from "../../core/view/names.ts";
import { targetsFromArguments } from "../calls/call-target-model.ts";
import { testsOfEntry } from "../documents/document-actions.ts";
import { documentUri } from "../documents/uris.ts";
import { testId } from "../../core/test-names.ts";
import { type CommandTable, COMMANDS } from "../window/ids.ts";
import { sayInformation } from "../window/messages.ts";
import { pickOne } from "../window/picks.ts";
import type { CodeDeps } from "./code-deps.ts";
import { callsAt } from "./show-calls.ts";
import { testTargetFrom } from "./test-target-model.ts";

/** From a test, or one of its calls, to a document that reads all of its calls as one conversation. */
export function readTestCommands(deps: CodeDeps) {
  return {
    [COMMANDS.readTest]: async (...args) => {
      const tests = await testsMeant(args, deps);
      const test = tests.length > 1 ? await pickTest(tests) : tests[0];
      if (test) return openConversation(test, deps);
      if (tests.length === 0)
        void sayInformation("No recording of this test is known. Record it, then its calls can be read.");
    },
  } satisfies Partial<CommandTable>;
}

/** A line of the tree names its test; of a recording it is known; of a place in a file its recordings say. */
async function testsMeant(args: readonly unknown[], deps: CodeDeps): Promise<readonly TestRef[]> {
  const from = testTargetFrom(args[0]);
  if (from.from === "call" && from.target.test.name.length > 0) return [from.target.test];
  const [call] = from.from === "cursor" ? targetsFromArguments(args) : [];
  if (call && "entry" in call) {
    await deps.index.ensure([call.entry]);
    return testsOfEntry(call.entry, deps);
  }
  const { place, state } = await callsAt(args, deps);
  const tests = state.recordings.flatMap((one) => one.tests).filter(({ file }) => file === place.file);
  return [...new Map(tests.map((test) => [testId(test), test])).values()];
}

async function pickTest(tests: readonly TestRef[]): Promise<TestRef | undefined> {
  const items = tests.map((test) => ({ label: testTitle(test) || test.file, description: test.file, test }));
  return (await pickOne(items, { placeholder: "Which test is to be read?" }))?.test;
}

async function openConversation(test: TestRef, { session }: CodeDeps): Promise<void> {
  const { file, name } = test;
  const uri = documentUri(session, { of: { test: { file, name } }, part: "all" });
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}
