import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestFinder, type TestFinder } from "../../../src/editor/test-discovery/find-tests-model.ts";
import {
  createSteadyTests,
  type SteadyTests,
} from "../../../src/editor/test-discovery/steady-tests-model.ts";
import { resolveTest } from "../../../src/editor/test-discovery/resolve-test-model.ts";
import { grammarsDir } from "./finder.ts";

let finder: TestFinder;
beforeAll(async () => {
  finder = await createTestFinder({ grammarsDir });
});
afterAll(() => finder.dispose());

const SOURCE = `describe("chat", () => {
  it("answers", async () => {
    await ask("one");
  });

  it("refuses", async () => {
    await ask("two");
  });
});
`;

async function opened(text = SOURCE, language = "typescript"): Promise<SteadyTests> {
  const document = await finder.open(text, language);
  if (!document) throw new Error("no grammar");
  return createSteadyTests(document);
}

const shown = (steady: SteadyTests): readonly string[] =>
  steady.tests().map(({ line, title }) => `${line} ${title}`);

function replace(steady: SteadyTests, before: string, after: string): void {
  const rangeOffset = steady.text.indexOf(before);
  expect(rangeOffset).toBeGreaterThanOrEqual(0);
  steady.edit([{ rangeOffset, rangeLength: before.length, text: after }]);
}

/** As a person does: one character after the other, with a look after each. */
function type(steady: SteadyTests, at: string, text: string): readonly (readonly string[])[] {
  let offset = steady.text.indexOf(at) + at.length;
  return Array.from(text, (character) => {
    steady.edit([{ rangeOffset: offset, rangeLength: 0, text: character }]);
    offset += character.length;
    return shown(steady);
  });
}

describe("the tests of a text that is typed", () => {
  it("stay while a line in one of them is not finished yet", async () => {
    const steady = await opened();
    const before = shown(steady);

    const looks = type(steady, 'await ask("one");', "\n    const reply = await ask(`three ${[{ (");

    const below = before.map((line) => line.replace("6 refuses", "7 refuses"));
    expect(looks.at(-1)).toEqual(below);
    expect(looks.filter((look) => look.length !== before.length)).toEqual([]);
    expect(steady.tests().map(({ path }) => path[0])).toEqual(["chat", "chat", "chat"]);
  });

  it("stay below a new test that is typed, which comes to them as soon as it has a title", async () => {
    const steady = await opened();

    const looks = type(steady, 'chat", () => {', '\n  it("waits", async () => {\n    await ask("zero"');

    expect(looks.every((look) => look.some((line) => line.endsWith("answers")))).toBe(true);
    expect(looks.every((look) => look.some((line) => line.endsWith("refuses")))).toBe(true);
    expect(looks.at(-1)).toContain("2 waits");
  });

  it("go when they are taken away, also from a text with faults", async () => {
    const steady = await opened();
    type(steady, 'await ask("two");', " (");

    replace(steady, '  it("answers", async () => {\n    await ask("one");\n  });\n', "");

    expect(shown(steady)).not.toContain("2 answers");
    expect(shown(steady).some((line) => line.endsWith("refuses"))).toBe(true);
  });

  it("are found by the names that runs know, through a rename, until the file is saved and after", async () => {
    const steady = await opened();
    const find = (title: string) => resolveTest(steady.tests(), { name: ["chat", title] })?.title;

    for (const [before, after] of [
      ['"answers"', '"answers s"'],
      ['"answers s"', '"answers soon"'],
    ] as const) {
      replace(steady, before, after);
      steady.tests();
    }
    expect(find("answers")).toBe("answers soon");
    expect(find("answers s")).toBeUndefined();

    steady.saved();
    replace(steady, '"answers soon"', '"replies"');

    expect(["answers", "answers soon", "replies"].map(find)).toEqual(["replies", "replies", "replies"]);
  });

  it("keep their names when the suite around them is renamed", async () => {
    const steady = await opened();

    replace(steady, '"chat"', '"talk"');

    expect(resolveTest(steady.tests(), { name: ["chat", "refuses"] })?.path).toEqual(["talk", "refuses"]);
  });

  it("keep their own names when two change places", async () => {
    const steady = await opened();
    const [, one = "", two = ""] =
      /(  it\("answers"[\s\S]*?\}\);\n)\n(  it\("refuses"[\s\S]*?\}\);\n)/u.exec(SOURCE) ?? [];

    replace(steady, `${one}\n${two}`, `${two}\n${one}`);

    expect(shown(steady)).toEqual(["1 chat", "2 refuses", "6 answers"]);
    expect(steady.tests().flatMap(({ formerly = [] }) => formerly)).toEqual([]);
  });

  it("work for Python by the ids of pytest", async () => {
    const steady = await opened("def test_a():\n    ask()\n\ndef test_b():\n    ask()\n", "python");

    replace(steady, "test_a", "test_first");
    replace(steady, "def test_first", "import os\n\ndef test_first");

    expect(resolveTest(steady.tests(), { id: "t.py::test_a" })?.title).toBe("test_first");
    expect(shown(steady)).toEqual(["3 test_first", "6 test_b"]);
  });
});

describe("a file of 2,000 lines", () => {
  const tests = Array.from(
    { length: 500 },
    (_, at) => `  it("answers ${at}", async () => {\n    await ask("question ${at}");\n  });\n`,
  );
  const text = `describe("many", () => {\n${tests.join("\n")}});\n`;

  it("is looked at again after every key at no cost that somebody notices", async () => {
    const steady = await opened(text);
    const begun = performance.now();
    const looks = type(steady, 'ask("question 250");', "\n    await ask(`more ${1}`);");
    const perKey = (performance.now() - begun) / looks.length;

    console.log(
      `▸ tests of a ${text.split("\n").length}-line file, looked at after every key: ${perKey.toFixed(1)} ms a key`,
    );
    expect(looks.at(-1)).toHaveLength(501);
    expect(new Set(looks.map(({ length }) => length))).toEqual(new Set([501]));
  });
});
