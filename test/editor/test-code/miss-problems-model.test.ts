import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestRef } from "../../../src/core/call/call.ts";
import { createProblemPlaces } from "../../../src/editor/test-code/miss-problems-model.ts";
import { type TestFinder, createTestFinder } from "../../../src/test-discovery/find-tests.ts";
import { type TextTests, keepTests } from "../../../src/test-discovery/found-test.ts";
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
  let intact: TextTests | undefined;
  const read = async (): Promise<TextTests> => {
    const now = { ...(await finder.findTests(text, "typescript")), lines: text.split("\n") };
    if (!now.isBroken) intact = now;
    return { ...now, tests: keepTests(intact, now) };
  };
  const look = async (saved = text) => {
    const { problems, gone } = places.problemsOf([call], {
      ...(await read()),
      file: FILE,
      saved: saved.split("\n"),
    });
    return gone.length > 0 ? "gone" : problems[0]?.line;
  };
  return {
    look,
    tests: async () => (await read()).tests.map(({ line, title }) => `${line} ${title}`),
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
    expect(await editor.edit('await ask("two");', 'await ask("two");\n    // between')).toBe(12);
    expect(await editor.edit('    await ask("same");\n  });\n});', "  });\n});")).toBe(9); // its test's own line
  });

  it("is on the line that the runner read, if the editor has unsaved lines above it", async () => {
    const editor = await anEditor(reference("refuses", { line: 8 }), `// not saved\n${SOURCE}`);

    expect(await editor.look(SOURCE)).toBe(9);
  });

  it("is on the test's own line if the runner reported no line, or one outside the test", async () => {
    expect(await (await anEditor(reference("refuses"))).look()).toBe(7);
    expect(await (await anEditor(reference("refuses", { line: 30 }))).look()).toBe(7);
    expect(await (await anEditor(reference("refuses", { line: 3 }))).look()).toBe(7);
  });

  it("follows a renamed test, and disappears with a deleted one", async () => {
    const editor = await anEditor(reference("answers", { line: 4 }));
    await editor.look();

    expect(await editor.edit('"answers"', '"replies"')).toBe(4);
    expect(await editor.edit('"replies"', '"replies soon"')).toBe(4);
    const [test = ""] = /  it\("answers"[\s\S]*?\}\);\n/u.exec(SOURCE) ?? [];
    expect(await editor.edit(test.replace("answers", "replies soon"), "")).toBe("gone");
  });

  it("is where the call was if the test was never found in the file, else on the first line", async () => {
    expect(await (await anEditor(reference("made by a helper", { line: 8 }))).look()).toBe(8);
    expect(await (await anEditor(reference("made by a helper"))).look()).toBe(1);
  });

  it("outside of tests is where the call was made, and nowhere if that is not known or deleted", async () => {
    const source = `${SOURCE}await ask("at the top");\n`;
    const editor = await anEditor({ file: FILE, name: [], line: 12 }, source);

    expect(await editor.look()).toBe(12);
    expect(await editor.edit('await ask("at the top");\n', "")).toBe("gone");
    expect(await (await anEditor({ file: FILE, name: [] })).look()).toBeUndefined();
  });

  it("is not one of another file, and names the helper that made the call", () => {
    const at = { file: "src/ask.ts", line: 12 };
    const calls = [
      missed("one", reference("answers", { file: "tests/other.test.ts" })),
      missed("two"),
      missed("three", reference("answers", { at })),
    ];

    const { problems } = createProblemPlaces().problemsOf(calls, {
      file: FILE,
      tests: [],
      lines: [],
      saved: [],
      isBroken: false,
    });

    expect(problems.map((problem) => problem.at)).toEqual([at]);
  });
});

describe("the tests of a text that is typed", () => {
  it("stay while a line in one of them is unfinished", async () => {
    const editor = await anEditor(reference("answers", { line: 3 }));
    const before = await editor.tests();

    for (const typed of ["\n    const reply", " = await ask(`three ${", "[{ ("]) {
      expect(
        await editor.edit('    await ask("same");\n  });\n\n', `    await ask("same");${typed}\n  });\n\n`),
      ).toBe(3);
      const below = before.map((line) => line.replace("7 refuses", "8 refuses"));
      expect((await editor.tests()).map((line) => line.replace("7 ", "8 "))).toEqual(below);
      await editor.edit(`    await ask("same");${typed}\n`, '    await ask("same");\n');
    }
  });

  it("include a new one, and lose one that is deleted, in a text with syntax errors", async () => {
    const editor = await anEditor(reference("answers"));
    await editor.tests();
    await editor.edit('await ask("two");', 'await ask("two" (');

    await editor.edit('chat", () => {', 'chat", () => {\n  it("waits", async () => {});');
    expect(await editor.tests()).toEqual(["1 chat", "2 waits", "3 answers", "8 refuses"]);
    const [test = ""] = /  it\("answers"[\s\S]*?\}\);\n/u.exec(SOURCE) ?? [];
    await editor.edit(test, "");
    expect(await editor.tests()).toEqual(["1 chat", "2 waits", "4 refuses"]);
  });
});
