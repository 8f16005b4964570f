import { describe, expect, it } from "vitest";
import {
  testLenses,
  type LensOptions,
  type TestLens,
} from "../../../src/editor/test-code/test-lenses-model.ts";
import type { TestState } from "../../../src/editor/test-code/test-states-model.ts";
import { Findings } from "../../../src/editor/findings/findings-model.ts";
import { aCall } from "../call-events.ts";
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
  findings: [missed("three"), missed("four", undefined, { model: "o3" })],
});

describe("the lenses above a test", () => {
  it("are replay with the count of its recordings, record, and what is missing", () => {
    expect(titles([red])).toEqual([
      "3 $(play) Replay · 2 recorded",
      "3 $(record) Record",
      "3 $(warning) 2 missing",
    ]);
  });

  it("lead to the timeline where nothing is missing, above tests and not above suites and files", () => {
    const green = stateOf(declared("answers", 3, 5), { recordings: [recorded("one")] });

    expect(titles([green])).toEqual([
      "3 $(play) Replay · 1 recorded",
      "3 $(record) Record",
      "3 $(list-tree) Timeline",
    ]);
    expect(lenses([green]).at(-1)).toMatchObject({ command: "tapedeck.showTimeline" });
    expect(lenses([green]).filter(({ line }) => line === 1)).toHaveLength(2);
  });

  it("tell what failed, with its reason, and that no call arrived", () => {
    const troubles = new Findings();
    const call = {
      outcome: "forwarded",
      upstreamStatus: 401,
      reason: "openai answered with status 401.",
    } as const;
    troubles.called(aCall("one", call), 1);
    const failed = stateOf(declared("answers", 3, 5), { findings: troubles.all });
    const [trouble] = troubles.all;
    const silent = stateOf(declared("asks", 3, 5), {
      findings: trouble ? [{ ...trouble, kind: "unreached" }] : [],
    });

    expect(titles([failed])).toEqual(["3 $(record) Record", "3 $(error) 1 failed"]);
    expect(lenses([failed]).at(-1)).toMatchObject({ tooltip: call.reason, command: "tapedeck.fix" });
    expect(titles([silent]).at(-1)).toBe("3 $(error) no call arrived");
  });

  it("count each recording once: recorded, new, stale or broken", () => {
    const state = stateOf(declared("answers", 2), {
      recordings: [
        recorded("one"),
        { ...recorded("two"), state: "new" },
        { ...recorded("three"), state: "stale" },
        { ...recorded("four"), state: "broken" },
      ],
    });

    expect(titles([state])[0]).toBe("2 $(play) Replay · 1 recorded, 1 new, 1 stale, 1 broken");
  });

  it("lead to a broken recording where nothing is missing", () => {
    const broken = { ...recorded("one"), state: "broken" } as const;
    const state = stateOf(declared("answers", 2), { recordings: [broken] });

    expect(titles([state])).toEqual([
      "2 $(play) Replay · 1 broken",
      "2 $(record) Record",
      "2 $(error) 1 broken",
    ]);
    expect(lenses([state]).at(-1)).toMatchObject({
      command: "tapedeck.openFile",
      arguments: [[{ entry: broken.entry }]],
    });
    expect(titles([{ ...red, recordings: [broken] }])).toHaveLength(3);
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
      arguments: [[{ finding: "id of three" }, { finding: "id of four" }]],
    });
  });

  it("record a test that was never seen to call, and nothing of its suite and file", () => {
    const suite = declared("chat", 1, 9, { kind: "suite", path: ["chat"], patterns: [null] });
    const fresh = [stateOf(suite), stateOf(declared("adds", 2)), stateOf(declared("sorts", 3))];

    expect(lenses(fresh).map(({ line, title }) => `${line} ${title}`)).toEqual([
      "2 $(record) Record",
      "3 $(record) Record",
    ]);
    expect(lenses(fresh, { level: "missing" })).toEqual([]);
    expect(lenses(fresh, { mayRun: false })).toEqual([]);
    expect(lenses([])).toEqual([]);
  });

  it("sum up a suite with all it holds, and say that they run all of it", () => {
    const suite = declared("chat", 2, 9, { kind: "suite", path: ["chat"], patterns: [null] });
    const state = stateOf(suite, {
      recordings: [recorded("one"), recorded("two")],
      findings: [missed("three")],
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

    expect(missing?.arguments).toEqual([[{ finding: "id of three" }, { finding: "id of four" }]]);
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
