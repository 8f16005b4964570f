import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestRef } from "../../../src/core/call/call.ts";
import { createProblemPlaces } from "../../../src/editor/test-code/miss-problems-model.ts";
import { type TestFinder, createTestFinder } from "../../../src/test-discovery/find-tests.ts";
import { grammarsDir } from "../../test-discovery/finder.ts";
import { FILE, missed, reference } from "./a-test-file.ts";

let finder: TestFinder;
beforeAll(async () => {
  finder = await createTestFinder({ grammarsDir });
});
afterAll(() => finder.dispose());

const SOURCE = `describe("chat", () => {
  it("answers", async () => {
    await ask("one");
    await ask("same");
  });

  it("refuses", async () => {
    await ask("two");
    await ask("same");
  });
});
`;

/** A test file in an editor, with a call that its runner reported. */
async function anEditor(test: TestRef, source = SOURCE) {
  const places = createProblemPlaces();
  const call = missed("one", test);
  let text = source;
  const look = async (): Promise<number | undefined> =>
    places.problemsOf([call], FILE, await finder.findTests(text, "typescript"))[0]?.line;
  return {
    look,
    async edit(before: string, after: string) {
      expect(text).toContain(before);
      text = text.replace(before, after);
      return look();
    },
  };
}

describe("the problem of a missing call", () => {
  it("is on the line that made the call, and follows it through edits", async () => {
    const editor = await anEditor(reference("refuses", { line: 9 }));

    expect(await editor.look()).toBe(9);
    expect(await editor.edit("describe(", "// above\n\ndescribe(")).toBe(11);
    expect(await editor.edit('    await ask("two");\n    await ask("same");\n  });\n});', "  });\n});")).toBe(
      9,
    ); // its test's own line
  });

  it("is on the test's own line if the runner reported no line, or one outside the test", async () => {
    expect(await (await anEditor(reference("refuses"))).look()).toBe(7);
    expect(await (await anEditor(reference("refuses", { line: 30 }))).look()).toBe(7);
    expect(await (await anEditor(reference("refuses", { line: 3 }))).look()).toBe(7);
  });

  it("disappears with a renamed or deleted test", async () => {
    const editor = await anEditor(reference("answers", { line: 4 }));
    await editor.look();

    expect(await editor.edit('"answers"', '"replies"')).toBeUndefined();
    expect(await editor.edit('"replies"', '"answers"')).toBe(4);
  });

  it("is where the call was if the test was never found in the file, else on the first line", async () => {
    expect(await (await anEditor(reference("made by a helper", { line: 8 }))).look()).toBe(8);
    expect(await (await anEditor(reference("made by a helper"))).look()).toBe(1);
  });

  it("outside of tests is where the call was made, and nowhere if that is not known", async () => {
    const source = `${SOURCE}await ask("at the top");\n`;
    const editor = await anEditor({ file: FILE, name: [], line: 12 }, source);

    expect(await editor.look()).toBe(12);
    expect(await (await anEditor({ file: FILE, name: [] })).look()).toBeUndefined();
  });

  it("is not one of another file, and names the helper that made the call", () => {
    const at = { file: "src/ask.ts", line: 12 };
    const calls = [
      missed("one", reference("answers", { file: "tests/other.test.ts" })),
      missed("two"),
      missed("three", reference("answers", { at })),
    ];

    const problems = createProblemPlaces().problemsOf(calls, FILE, { tests: [], isBroken: false });

    expect(problems.map((problem) => problem.at)).toEqual([at]);
  });
});
