import { describe, expect, it } from "vitest";
import {
  readFileTarget,
  readTestTarget,
  readTestTargets,
} from "../../../src/editor/test-code/test-target-model.ts";
import { keyOf } from "../call-events.ts";

const URI = "file:///w/tests/chat.test.ts";
const CURSOR = { from: "cursor" };

/** As the editor hands out addresses. */
const address = { scheme: "file", path: "/w/tests/chat.test.ts", toString: () => URI };

describe("a command's argument", () => {
  it("of a lens is a declared test", () => {
    const target = { uri: URI, test: { path: ["chat", "answers"], line: 3 } };

    expect(readTestTarget(target)).toEqual({ from: "lens", target });
  });

  it("of a row or a page is the test of a call, with how its calls are answered", () => {
    const test = { file: "tests/chat.test.ts", name: ["chat", "answers"], line: 3, joined: "x", id: "y" };
    const key = keyOf("one");

    expect(readTestTarget({ test })).toEqual({ from: "call", target: { test } });
    expect(readTestTarget({ test, mode: "strict", overrides: [[key, "record"]] })).toEqual({
      from: "call",
      target: { test, mode: "strict", overrides: [[key, "record"]] },
    });
  });

  it("without titles is the whole file", () => {
    const target = { uri: URI, test: { path: [], line: 1 } };

    expect(readTestTarget(target)).toEqual({ from: "lens", target });
    expect(readFileTarget(address)).toEqual({ from: "lens", target });
    expect(readFileTarget(URI)).toBeUndefined();
  });

  it("of the sidebar's group is its test", () => {
    const test = { file: "tests/chat.test.ts", name: ["chat", "answers"] };

    const target = readTestTarget({
      subject: { kind: "group", group: { kind: "test", test } },
      children: [],
    });

    expect(target).toEqual({ from: "call", target: { test } });
  });

  it("of the sidebar's file is all of it", () => {
    const line = (kind: string) => ({
      subject: { kind: "group", group: { kind, label: "tests/chat.test.ts" } },
      children: [],
    });

    expect(readFileTarget(line("file"))).toEqual({
      from: "call",
      target: { test: { file: "tests/chat.test.ts", name: [] } },
    });
    expect(readFileTarget(line("model"))).toBeUndefined();
  });

  it("of the Test Explorer is each of the selected tests", () => {
    const item = (id: string) => ({
      id,
      label: id,
      uri: address,
      children: { size: 0 },
      range: { start: { line: 2 } },
    });

    expect(readTestTargets([item("a"), item("b")]).map(({ from }) => from)).toEqual(["item", "item"]);
    expect(readTestTargets([address, { groupId: 0 }])).toEqual([CURSOR]);
    expect(readTestTargets([])).toEqual([CURSOR]);
  });

  it("of the line numbers' menu is the test around a line", () => {
    expect(readTestTarget({ lineNumber: 12, uri: address })).toEqual({
      from: "line",
      target: { uri: URI, line: 12 },
    });
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "tests/chat.test.ts"],
    ["the editor's own menu's", address],
    ["an empty object", {}],
    ["a lens whose titles are no texts", { uri: URI, test: { path: [1], line: 3 } }],
    ["a lens without a line", { uri: URI, test: { path: ["a"], line: 0 } }],
    ["a line that is none", { lineNumber: 1.5, uri: address }],
    ["a line in no file", { lineNumber: 1, uri: URI }],
    ["a line in something else", { lineNumber: 1, uri: {} }],
    ["a test without a file", { test: { file: "", name: ["a"] } }],
    ["a test whose name is a text", { test: { file: "a.test.ts", name: "a" } }],
    ["a name that is no list of texts", { test: { file: "a.test.ts", name: ["a", 1] } }],
  ])("that is %s means the test at the cursor", (_what, argument) => {
    expect(readTestTarget(argument)).toEqual(CURSOR);
  });

  it("from another extension is used only as far as it is valid", () => {
    const forged = {
      test: { file: "a.test.ts", name: ["a"], line: "3", runner: { evil: true }, id: 7, joined: null, at: 1 },
      mode: "everything",
      overrides: [
        ["sha256:short", "record"],
        [keyOf("one"), "everything"],
        [keyOf("one")],
        "record",
        [keyOf("two"), "record"],
      ],
      command: "rm",
    };

    expect(readTestTarget(forged)).toEqual({
      from: "call",
      target: { test: { file: "a.test.ts", name: ["a"] }, overrides: [[keyOf("two"), "record"]] },
    });
  });
});
