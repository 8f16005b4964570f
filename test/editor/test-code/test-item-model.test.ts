import { describe, expect, it } from "vitest";
import { readItemPointer, findTestOfItem } from "../../../src/editor/test-code/test-target-model.ts";
import type { FoundTest } from "../../../src/test-discovery/found-test.ts";
import { declared } from "./a-test-file.ts";

interface Shape {
  readonly id?: string;
  readonly label: string;
  readonly uri?: object;
  readonly line?: number;
  readonly parent?: object;
  readonly size?: number;
}

const address = (path: string) => ({ scheme: "file", path, toString: () => `file://${path}` });
const FILE = address("/w/tests/chat.test.ts");

/** As the editor hands out another extension's item. */
function item({ id = "any", label, uri = FILE, line, parent, size = 0 }: Shape) {
  const range = line === undefined ? undefined : { start: { line: line - 1 }, end: { line } };
  return { id, label, uri, range, parent, children: { size } };
}

const file = item({
  label: "chat.test.ts",
  size: 1,
  parent: item({ label: "tests", uri: address("/w/tests"), size: 1 }),
});
const suite = item({ label: "chat", line: 1, parent: file, size: 2 });

const chat = declared("chat", 1, 9, { kind: "suite", path: ["chat"], patterns: [null] });
const answers = declared("answers", 3, 5);
const adds = declared("adds %i and %i", 7, 8, {
  patterns: [null, "adds [\\s\\S]* and [\\s\\S]*"],
});
const TESTS: readonly FoundTest[] = [chat, answers, adds];

function meant(shape: object): FoundTest | "file" | undefined {
  const pointer = readItemPointer(shape);
  return pointer && findTestOfItem(TESTS, pointer);
}

describe("an item of the Test Explorer", () => {
  it("is the test at its place", () => {
    expect(meant(item({ label: "answers", line: 3, parent: suite }))).toBe(answers);
  });

  it("is the test of its titles when the text was edited since the explorer looked", () => {
    expect(meant(item({ label: "answers", line: 7, parent: suite }))).toBe(answers);
    expect(meant(item({ label: "answers", line: 60, parent: suite }))).toBe(answers);
  });

  it("with another name is found by its place", () => {
    expect(meant(item({ label: "✔ answers (3 ms)", line: 3, parent: suite }))).toBe(answers);
    expect(meant(item({ label: "no such test", line: 4, parent: suite }))).toBe(answers);
  });

  it("of a case is the test that is declared", () => {
    expect(meant(item({ label: "adds 1 and 2", line: 7, parent: suite }))).toBe(adds);
    const test = item({ label: "answers", line: 3, parent: suite, size: 2 });
    expect(meant(item({ label: "[de]", parent: test }))).toBe(answers);
  });

  it("of a suite is the suite, of a file the file", () => {
    expect(meant(suite)).toBe(chat);
    expect(meant(file)).toBe("file");
    expect(meant(item({ label: "tests/chat.test.ts", line: 1 }))).toBe("file");
  });

  it("of pytest is known by its id", () => {
    const python = [
      declared("TestA", 1, 9, { kind: "suite", path: ["TestA"], patterns: [null], id: "TestA" }),
      declared("test_x", 3, 4, { path: ["TestA", "test_x"], patterns: [null, null], id: "TestA::test_x" }),
    ];
    const pointer = readItemPointer(item({ id: "tests/t.py::TestA::test_x[1-é]", label: "test_x[1-é]" }));

    expect(pointer && findTestOfItem(python, pointer)?.valueOf()).toBe(python[1]);
  });

  it("is found through a message of it", () => {
    const test = item({ label: "answers", line: 3, parent: suite });

    expect(meant({ test, message: { message: "No recording" } })).toBe(answers);
  });

  it.each([
    ["nothing", undefined],
    ["an address", FILE],
    ["an item without a file", { ...item({ label: "a" }), uri: undefined }],
    ["a text", "a"],
    ["a message of nothing", { test: {}, message: {} }],
  ])("that is %s is ignored", (_what, value) => {
    expect(readItemPointer(value)).toBeUndefined();
  });

  it("with endless parents ends", () => {
    const loop: Record<string, unknown> = item({ label: "answers", line: 3 });
    loop["parent"] = loop;

    expect(meant(loop)).toBe(answers);
  });
});
