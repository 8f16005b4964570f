import { expect, test } from "vitest";
import type { CallEvent } from "../../../src/core/call/call.ts";
import { SessionModel } from "../../../src/editor/session/session-model.ts";
import { createTestLenses } from "../../../src/editor/test-code/test-lenses-model.ts";
import { computeFileState } from "../../../src/editor/test-code/test-state-model.ts";
import { aCall, aMiss, aTest } from "../call-events.ts";
import { FILE, declared } from "../test-code/a-test-file.ts";

function madeUp(prompt: string, execution: string, changes: Partial<CallEvent> = {}): CallEvent {
  const reply = { status: 200, contentType: "application/json", body: new Uint8Array() };
  return aCall(prompt, {
    outcome: "defaulted",
    mode: "lenient",
    test: aTest("answers", execution),
    madeUp: { by: "reply 1 of the script", reply, call: aMiss(prompt) },
    ...changes,
  });
}

test("it is shown above its test, with its mock", () => {
  const model = new SessionModel();
  model.called(madeUp("a", "1"));
  const known = { recordings: [], findings: model.findings, runs: [] };
  const state = computeFileState([declared("answers")], FILE, known);

  const lenses = createTestLenses(state, { level: "all", mayRun: true, uri: "file:///a" });

  expect(lenses.map(({ title }) => title)).toContain("$(beaker) 1 made up");
  expect(lenses.map(({ tooltip }) => tooltip).join("\n")).toContain("Made up by reply 1 of the script");
});
