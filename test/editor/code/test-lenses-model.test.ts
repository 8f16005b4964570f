import { describe, expect, it } from "vitest";
import { testLenses, type LensOptions } from "../../../src/editor/code/test-lenses-model.ts";
import type { TestState } from "../../../src/editor/code/test-states-model.ts";
import { declared, missed, recorded, stateOf } from "./a-test-file.ts";

const everything: LensOptions = { level: "all", mayRun: true, uri: "file:///w/tests/chat.test.ts" };

const titles = (states: readonly TestState[], options: Partial<LensOptions> = {}): readonly string[] =>
  testLenses(states, { ...everything, ...options }).map(({ line, title }) => `${line} ${title}`);

const red = stateOf(declared("answers", 3, 5), {
  recordings: [recorded("one"), recorded("two")],
  missing: [missed("three"), missed("four", undefined, { model: "o3" })],
});

describe("the lenses above a test", () => {
  it("are replay with the count of its recordings, record, and what is missing", () => {
    expect(titles([red])).toEqual([
      "3 $(play) Replay · 2 recorded",
      "3 $(record) Record",
      "3 $(warning) 2 missing",
    ]);
  });

  it("tell how many of the recordings are new and how many are stale", () => {
    const state = stateOf(declared("answers"), {
      recordings: [
        recorded("one"),
        { ...recorded("two"), isNew: true },
        { ...recorded("three"), isStale: true },
      ],
    });

    expect(titles([state])[0]).toBe("1 $(play) Replay · 3 recorded, 1 new, 1 stale");
  });

  it("stand above its decorators", () => {
    const test = declared("test_answers", 6, 9, { firstLine: 4 });

    expect(titles([stateOf(test, { recordings: [recorded("one")] })])[0]).toMatch(/^4 /u);
  });

  it("say what they do, and name the test or the call that they are about", () => {
    const [replay, record, missing] = testLenses([red], everything);

    const place = { uri: everything.uri, test: { path: ["chat", "answers"], line: 3 } };
    expect(replay).toMatchObject({
      command: "tapedeck.replayTest",
      tooltip: "Run this test against its recordings; nothing leaves this machine",
      arguments: [place],
    });
    expect(record).toMatchObject({
      command: "tapedeck.recordTest",
      tooltip: "Run this test and record what is not recorded yet",
      arguments: [place],
    });
    expect(missing).toMatchObject({
      command: "tapedeck.goToMissing",
      tooltip: 'No recording: gpt-4o-mini "three"\nNo recording: o3 "four"',
      arguments: [{ missing: "id of three" }],
    });
  });

  it("offer to record a test that was never seen to call, beside one that was", () => {
    expect(titles([red, stateOf(declared("is new", 7))]).slice(3)).toEqual(["7 $(record) Record"]);
  });

  it("are not there in a file of which no test was ever seen to call", () => {
    expect(titles([stateOf(declared("adds numbers")), stateOf(declared("sorts", 3))])).toEqual([]);
  });

  it("are not there above a suite", () => {
    const suite = declared("chat", 1, 9, { kind: "suite", path: ["chat"], patterns: [null] });

    expect(titles([stateOf(suite, { recordings: [recorded("one")] })])).toEqual([]);
  });

  it("become one that stops the test while it is recorded or replayed", () => {
    const test = declared("answers", 3);
    const running = (mode: "record" | "strict"): TestState => stateOf(test, { run: { id: "r1", mode } });

    expect(titles([running("record")])).toEqual(["3 $(loading~spin) Recording · stop"]);
    expect(titles([running("strict")])).toEqual(["3 $(loading~spin) Replaying · stop"]);
    expect(testLenses([running("record")], everything)[0]).toMatchObject({ command: "tapedeck.stopRun" });
  });

  it("are only those of missing calls where that is wanted", () => {
    const green = stateOf(declared("is fine", 7), { recordings: [recorded("five")] });

    expect(titles([red, green], { level: "missing" })).toEqual([
      "3 $(record) Record",
      "3 $(warning) 2 missing",
    ]);
    expect(titles([red, green], { level: "off" })).toEqual([]);
  });

  it("run nothing in Restricted Mode", () => {
    expect(titles([red], { mayRun: false })).toEqual(["3 $(warning) 2 missing"]);
  });
});
