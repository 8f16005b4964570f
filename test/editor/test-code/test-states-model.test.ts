import { describe, expect, it } from "vitest";
import {
  fileState,
  type KnownOfTests,
  type TestState,
} from "../../../src/editor/test-code/test-states-model.ts";
import type { FoundTest } from "../../../src/editor/test-discovery/found-test-model.ts";
import { entryOf } from "../call-events.ts";
import { declared, FILE, missed, recorded, reference } from "./a-test-file.ts";

const nothing: KnownOfTests = { recordings: [], findings: [], runs: [] };

const told = ({ test, recordings, findings, run }: TestState): string =>
  [
    `${test.title}:`,
    ...recordings.map(({ entry }) => entry.slice(-12)),
    ...findings.map(({ id }) => id),
    run?.id ?? "",
  ]
    .join(" ")
    .trimEnd();

describe("the state of a file's tests", () => {
  const answers = declared("answers", 3, 5);
  const refuses = declared("refuses", 7, 9);

  it("is empty for a test of which nothing is known", () => {
    expect(fileState([answers], FILE, nothing)).toEqual({
      tests: [{ test: answers, recordings: [], findings: [] }],
      recordings: [],
      findings: [],
    });
  });

  it("gives recordings, missing calls and runs to the tests that made them", () => {
    const { tests: states } = fileState([answers, refuses], FILE, {
      recordings: [recorded("one", reference("answers")), recorded("two", reference("refuses"))],
      findings: [missed("three", reference("refuses"))],
      runs: [
        { id: "r1", mode: "strict" },
        { id: "r2", mode: "record", test: reference("answers") },
      ],
    });

    expect(states.map(({ test }) => test.title)).toEqual(["answers", "refuses"]);
    expect(states.map(({ recordings }) => recordings.map(({ entry }) => entry))).toEqual([
      [entryOf("one")],
      [entryOf("two")],
    ]);
    expect(states.map(({ findings }) => findings.map(({ id }) => id))).toEqual([[], ["id of three"]]);
    expect(states.map(({ run }) => run?.id)).toEqual(["r2", undefined]);
  });

  it("leaves out what belongs to other files, and calls of no known test", () => {
    const elsewhere = reference("answers", { file: "tests/other.test.ts" });

    const {
      tests: [state],
    } = fileState([answers], FILE, {
      recordings: [recorded("one", elsewhere), recorded("two")],
      findings: [missed("three", elsewhere), missed("four")],
      runs: [{ id: "r1", mode: "record", test: elsewhere }],
    });

    expect(state && told(state)).toBe("answers:");
  });

  it("counts a recording that several tests use for each of them, and once for one that used it twice", () => {
    const both = recorded("one", reference("answers"), reference("refuses"), reference("answers"));

    const { tests: states } = fileState([answers, refuses], FILE, { ...nothing, recordings: [both] });

    expect(states.map(({ recordings }) => recordings.length)).toEqual([1, 1]);
  });

  it("counts the calls of all cases of a parametrised test together", () => {
    const cases = declared("adds %i and %i", 3, 5, {
      patterns: [null, "adds [\\s\\S]* and [\\s\\S]*"],
      parametrized: true,
    });

    const {
      tests: [state],
    } = fileState([cases], FILE, {
      recordings: [recorded("one", reference("adds 1 and 2")), recorded("two", reference("adds 3 and 4"))],
      findings: [missed("three", reference("adds 5 and 6"))],
      runs: [],
    });

    expect(state?.recordings.length).toBe(2);
    expect(state?.findings.length).toBe(1);
  });

  it("follows a test that was renamed by the line of its call", () => {
    const {
      tests: [, state],
    } = fileState([answers, refuses], FILE, {
      ...nothing,
      recordings: [recorded("one", reference("declines", { line: 8 }))],
    });

    expect(state?.recordings.length).toBe(1);
  });

  it("gives a suite what its tests have, at every level, each once, and not what a namesake has", () => {
    const suite = (title: string, path: readonly string[], from: number, to: number): FoundTest =>
      declared(title, from, to, { kind: "suite", path, patterns: path.map(() => null) });
    const inner = (title: string, line: number): FoundTest =>
      declared(title, line, line, { path: ["chat", "inner", title], patterns: [null, null, null] });
    const tests = [
      suite("chat", ["chat"], 1, 9),
      suite("inner", ["chat", "inner"], 2, 5),
      inner("answers", 3),
      inner("refuses", 4),
      suite("chat", ["chat"], 11, 13),
      declared("waits", 12),
    ];
    const both = recorded(
      "one",
      { file: FILE, name: ["chat", "inner", "answers"] },
      { file: FILE, name: ["chat", "inner", "refuses"] },
    );

    const { tests: states } = fileState(tests, FILE, {
      recordings: [both, recorded("two", reference("waits"))],
      findings: [missed("three", { file: FILE, name: ["chat", "inner", "refuses"] })],
      runs: [{ id: "r1", mode: "strict", test: { file: FILE, name: ["chat", "inner"] } }],
    });

    expect(states.map(({ recordings, findings }) => [recordings.length, findings.length])).toEqual([
      [1, 1],
      [1, 1],
      [1, 0],
      [1, 1],
      [1, 0],
      [1, 0],
    ]);
    expect(states.map(({ run }) => run?.id)).toEqual([
      undefined,
      "r1",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("of the file has every call of it, also those outside of any test", () => {
    const state = fileState([answers, refuses], FILE, {
      recordings: [recorded("one", reference("answers")), recorded("two", { file: FILE, name: [] })],
      findings: [missed("three", { file: FILE, name: [] })],
      runs: [{ id: "r1", mode: "record", test: { file: FILE, name: [] } }],
    });

    expect(state.recordings).toHaveLength(2);
    expect(state.findings).toHaveLength(1);
    expect(state.run?.id).toBe("r1");
    expect(state.tests.map(({ recordings, run }) => [recordings.length, run])).toEqual([
      [1, undefined],
      [0, undefined],
    ]);
  });
});
