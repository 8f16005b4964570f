import { expect, test } from "vitest";
import type { CallEvent } from "../../../src/core/call.ts";
import { createSessionModel, type SessionModel } from "../../../src/editor/session/session-model.ts";
import { testLenses } from "../../../src/editor/test-code/test-lenses-model.ts";
import { fileState } from "../../../src/editor/test-code/test-states-model.ts";
import { aCall, aMiss, aTest } from "../call-events.ts";
import { declared, FILE } from "../test-code/a-test-file.ts";

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

const shown = ({ state }: SessionModel): readonly string[] => state.madeUp.map(({ miss }) => miss.label);

test("a made-up answer stays until its call has a recording, or its test goes without it", () => {
  const model = createSessionModel();
  for (const prompt of ["a", "b"]) model.called(madeUp(prompt, "1"));
  const both = shown(model);
  model.called(madeUp("b", "2"));
  const second = shown(model);
  model.called(aCall("b", { outcome: "recorded", test: aTest("answers", "3") }));

  expect([both, second, shown(model)]).toEqual([["b", "a"], ["b"], []]);
  expect(model.state.missing).toEqual([]);
});

test("it is no missing call; its id says what it is, it goes when it is dismissed, and comes back", () => {
  const model = createSessionModel();
  model.called(madeUp("a", "1"));
  const [call] = model.state.madeUp;
  model.dismissed(call!.id);
  const gone = shown(model);
  model.recalledMissing([call!]);

  expect([call!.madeUp !== undefined, gone, shown(model)]).toEqual([true, [], ["a"]]);
  expect(model.state.missing).toEqual([]);
});

test("it stands above its test, with who made it up", () => {
  const model = createSessionModel();
  model.called(madeUp("a", "1"));
  const known = { recordings: [], missing: [], madeUp: model.state.madeUp, runs: [] };
  const state = fileState([declared("answers")], FILE, known);

  const lenses = testLenses(state, { level: "all", mayRun: true, uri: "file:///a" });

  expect(lenses.map(({ title }) => title)).toContain("$(beaker) 1 made up");
  expect(lenses.map(({ tooltip }) => tooltip).join("\n")).toContain("Made up by reply 1 of the script");
});
