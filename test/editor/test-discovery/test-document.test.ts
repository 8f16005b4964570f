import { asyncProperty, array, assert, constantFrom, nat, record } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createTestFinder,
  type TestFinder,
  type TextChange,
} from "../../../src/editor/test-discovery/find-tests-model.ts";
import { grammarsDir } from "./finder.ts";

let finder: TestFinder;
beforeAll(async () => {
  finder = await createTestFinder({ grammarsDir });
});
afterAll(() => finder.dispose());

const JAVASCRIPT = `import { it } from "vitest";
describe("outer é\u{1F600}", () => {
  it("a", async () => { await ask("b"); });
  it.each([1, 2])("row %s", () => {});
});
test(\`t \${x}\`, () => {});
`;
const PYTHON = `import unittest
class Case(unittest.TestCase):
    def test_a(self):
        pass
@mark.parametrize("x", ["é"])
def test_b(x): pass
`;
const PIECES = [
  'it("new", () => {});\n',
  "\n",
  "\r\n",
  '"',
  "`",
  "{",
  "}",
  ")",
  "// ",
  "\u{1F600}",
  "def test_c(): pass\n",
  "    ",
  "x",
  "",
];

const change = record({ at: nat(400), length: nat(12), text: constantFrom(...PIECES) });

function textChange(text: string, raw: { at: number; length: number; text: string }): TextChange {
  const rangeOffset = Math.min(raw.at, text.length);
  return { rangeOffset, rangeLength: Math.min(raw.length, text.length - rangeOffset), text: raw.text };
}

for (const [languageId, source] of [
  ["typescript", JAVASCRIPT],
  ["javascript", JAVASCRIPT],
  ["python", PYTHON],
] as const) {
  test(`any edits of ${languageId} give the same tests as reading the edited text afresh`, async () => {
    await assert(
      asyncProperty(array(change, { minLength: 1, maxLength: 8 }), async (raws) => {
        const document = (await finder.open(source, languageId))!;
        document.tests();
        for (const raw of raws) {
          document.edit([textChange(document.text, raw)]);
          document.tests();
        }

        const fresh = await finder.findTests(document.text, languageId);

        expect(document.tests()).toEqual(fresh);
        document.dispose();
      }),
      { numRuns: 150 },
    );
  });
}

test("a text that edits broke is read as if it had been opened broken", async () => {
  const document = (await finder.open(JAVASCRIPT, "javascript"))!;
  const breaking = [
    { at: 0, length: 1, text: "def test_c(): pass\n" },
    { at: 74, length: 0, text: "`" },
    { at: 190, length: 0, text: "`" },
  ];
  for (const raw of breaking) {
    document.edit([textChange(document.text, raw)]);
    document.tests();
  }

  expect(document.tests()).toEqual(await finder.findTests(document.text, "javascript"));
});

test("several changes of one edit apply in their order, before the next look", async () => {
  const document = (await finder.open('it("one", () => {});\nit("two", () => {});\n', "typescript"))!;
  document.tests();

  document.edit([
    { rangeOffset: 25, rangeLength: 3, text: "zwei" },
    { rangeOffset: 4, rangeLength: 3, text: "eins" },
    { rangeOffset: 0, rangeLength: 0, text: "\n\n" },
  ]);

  expect(document.tests().map(({ title, line }) => `${line} ${title}`)).toEqual(["3 eins", "4 zwei"]);
  document.dispose();
});

test("an unchanged document is not read twice", async () => {
  const document = (await finder.open(JAVASCRIPT, "typescript"))!;

  const first = document.tests();

  expect(document.tests()).toBe(first);
  document.edit([{ rangeOffset: 0, rangeLength: 0, text: " " }]);
  expect(document.tests()).not.toBe(first);
  document.dispose();
});
