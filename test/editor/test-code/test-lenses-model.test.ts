import { describe, expect, it } from "vitest";
import {
  testLenses,
  type LensOptions,
  type TestLens,
} from "../../../src/editor/test-code/test-lenses-model.ts";
import type { TestState } from "../../../src/editor/test-code/test-states-model.ts";
import { declared, fileOf, missed, recorded, stateOf } from "./a-test-file.ts";

const everything: LensOptions = { level: "all", mayRun: true, uri: "file:///w/tests/chat.test.ts" };

const lenses = (states: readonly TestState[], options: Partial<LensOptions> = {}): readonly TestLens[] =>
  testLenses(fileOf(states), { ...everything, ...options });

const titles = (states: readonly TestState[], options: Partial<LensOptions> = {}): readonly string[] =>
  lenses(states, options)
    .filter(({ line }) => line > 1)
    .map(({ line, title }) => `${line} ${title}`);

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
    const state = stateOf(declared("answers", 2), {
      recordings: [
        recorded("one"),
        { ...recorded("two"), isNew: true },
        { ...recorded("three"), isStale: true },
      ],
    });

    expect(titles([state])[0]).toBe("2 $(play) Replay · 3 recorded, 1 new, 1 stale");
  });

  it("stand above its decorators", () => {
    const test = declared("test_answers", 6, 9, { firstLine: 4 });

    expect(titles([stateOf(test, { recordings: [recorded("one")] })])[0]).toMatch(/^4 /u);
  });

  it("say what they do, and name the test or the call that they are about", () => {
    const [replay, record, missing] = lenses([red]).filter(({ line }) => line > 1);

    const place = { uri: everything.uri, test: { path: ["chat", "answers"], line: 3 } };
    expect(replay).toMatchObject({
      command: "tapedeck.replayTest",
      tooltip: "Run this test against the recordings; nothing leaves this machine",
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
      arguments: [[{ missing: "id of three" }, { missing: "id of four" }]],
    });
  });

  it("are not there above a test that was never seen to call", () => {
    expect(titles([red, stateOf(declared("is new", 7))])).toHaveLength(3);
  });

  it("are not there in a file of which no test was ever seen to call", () => {
    expect(lenses([stateOf(declared("adds numbers")), stateOf(declared("sorts", 3))])).toEqual([]);
    expect(lenses([])).toEqual([]);
  });

  it("sum up a suite with all it holds, and say that they run all of it", () => {
    const suite = declared("chat", 2, 9, { kind: "suite", path: ["chat"], patterns: [null] });
    const state = stateOf(suite, {
      recordings: [recorded("one"), recorded("two")],
      missing: [missed("three")],
    });

    expect(titles([state])).toEqual([
      "2 $(play) Replay suite · 2 recorded",
      "2 $(record) Record suite",
      "2 $(warning) 1 missing",
    ]);
    expect(lenses([state]).at(-3)?.arguments).toEqual([
      { uri: everything.uri, test: { path: ["chat"], line: 2 } },
    ]);
  });

  it("sum up the file on its first line", () => {
    const file = lenses([red, stateOf(declared("is fine", 7), { recordings: [recorded("five")] })]).filter(
      ({ line }) => line === 1,
    );

    expect(file.map(({ title }) => title)).toEqual([
      "$(play) Replay file · 3 recorded",
      "$(record) Record file",
      "$(warning) 2 missing",
    ]);
    expect(file[0]?.arguments).toEqual([{ uri: everything.uri, test: { path: [], line: 1 } }]);
  });

  it("lead to all missing calls where there are several", () => {
    const missing = lenses([red]).find(({ command }) => command === "tapedeck.goToMissing");

    expect(missing?.arguments).toEqual([[{ missing: "id of three" }, { missing: "id of four" }]]);
  });

  it("become one that stops the test while it is recorded or replayed", () => {
    const test = declared("answers", 3);
    const running = (mode: "record" | "strict"): TestState => stateOf(test, { run: { id: "r1", mode } });

    expect(titles([running("record")])).toEqual(["3 $(loading~spin) Recording · stop"]);
    expect(titles([running("strict")])).toEqual(["3 $(loading~spin) Replaying · stop"]);
    expect(lenses([running("record")]).at(-1)).toMatchObject({
      command: "tapedeck.stopRun",
      arguments: [{ uri: everything.uri }],
    });
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
