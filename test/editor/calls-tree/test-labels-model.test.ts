import { describe, expect, it } from "vitest";
import { labelTests } from "../../../src/editor/calls-tree/call-groups-model.ts";

function labelsIn(file: string, ...names: readonly (readonly string[])[]): readonly string[] {
  return labelTests(names.map((name) => ({ file, name })));
}

describe("the label of a test's row", () => {
  it.each([
    ["tests/classify.test.ts", "classify"],
    ["tests/test_classify.py", "ClassifyTest"],
    ["src/classify.spec.tsx", "Classify"],
  ])("leaves out a suite that is named like its file: %s", (file, suite) => {
    expect(labelsIn(file, [suite, "sends an order on"])).toEqual(["sends an order on"]);
  });

  it("leaves out a suite that contains all tests of the file, and keeps the others", () => {
    const names = [
      ["replies", "short", "answers"],
      ["replies", "long", "answers at length"],
    ];

    expect(labelsIn("tests/chat.test.ts", ...names)).toEqual(["short › answers", "long › answers at length"]);
  });

  it("keeps a suite that only some tests of the file are in, or that is alone", () => {
    const names = [["replies", "answers"], ["refuses"]];

    expect(labelsIn("tests/chat.test.ts", ...names)).toEqual(["replies › answers", "refuses"]);
    expect(labelsIn("tests/chat.test.ts", ["replies", "answers"])).toEqual(["replies › answers"]);
  });

  it("has the suite when two tests would have the same label", () => {
    const labels = labelTests([
      { file: "tests/chat.test.ts", name: ["chat", "answers"] },
      { file: "tests/mail.test.ts", name: ["mail", "answers"] },
    ]);

    expect(labels).toEqual(["chat › answers", "mail › answers"]);
  });
});
