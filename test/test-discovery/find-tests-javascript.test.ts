import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestFinder, type TestFinder } from "../../src/test-discovery/find-tests.ts";
import { grammarsDir, outline } from "./finder.ts";

let finder: TestFinder;
beforeAll(async () => {
  finder = await createTestFinder({ grammarsDir });
});
afterAll(() => finder.dispose());

const outlineOf = async (source: string, languageId = "typescript"): Promise<string> =>
  outline((await finder.findTests(source, languageId)).tests);

const SOURCES: Readonly<Record<string, string>> = {
  "suites nest, and modifiers are reported as written": `
describe('outer "q"', () => {
  describe.skip("inner", function () { // text to parse, never run
    beforeEach(async () => { await call(); });
    it.only("only", () => {}); // text to parse, never run
    test.concurrent.skip(\`plain template\`, () => {}); // text to parse, never run
    it.todo('later'); // text to parse, never run
    it("pending");
    xit("x", () => {});
    fit("f", () => {});
  });
  test("option", { skip: true, only: false }, () => {});
});
context("beside", () => { specify("s", () => {}); });
`,
  "titles of tables are patterns when the runner fills them in": `
it.each([[1, 2], [3, 4]])('adds %i + %i (50%%)', (a, b) => {});
it.each\`a | b
  \${1} | \${2}
\`('table $a.name', ({ a }) => {});
test.concurrent.each<Row>([1])('cc %s', async () => {});
test.for([1])(\`for %s\`, () => {});
describe.each(rows)('suite $name', () => { it('in it', () => {}); });
test.skipIf(process.env.CI)('cond', () => {});
it.skipIf(a).each(rows)("both %s", () => {});
it.each(rows)('no place', () => {});
it('100% literal $x', () => {});
`,
  "computed titles keep their known parts": `
describe(\`inner \${lang} x\`, () => {});
for (const n of [1, 2]) it(\`loop \${n}\${n}\`, () => {});
it('concat ' + lang + (" tail"), () => {});
it('two ' + 'halves', () => {});
describe(Thing.name, () => { it('in ident', () => {}); });
test("typed" as string, () => {});
test(title, handler);
test(\`\`, () => {});
`,
  "Playwright's suites and node's subtests are found, and look-alikes are not": `
import * as mine from "node:test";
test.describe('pw', () => {
  test.describe.serial('s', () => {
    test('pw test', async ({ page }) => { await test.step('step', async () => {}); });
  });
  test.describe.configure({ mode: "serial" });
  test.beforeEach(async () => {});
  test.skip('skipped', async () => {}); // text to parse, never run
});
test('node sub', async (t) => { await t.test('sub', () => {}); });
mine.describe('namespace', () => { mine.it.skip('it', () => {}); }); // text to parse, never run
test('inside', async () => { test.skip(isCI, 'reason'); test.fixme(!ok, 'x'); test.slow(); }); // text to parse, never run
myTest('not a test', () => {}); regex.test('nope'); expect(/x/.test('nope2')).toBe(true); foo.it('nope3');
t.test('a string'); const it = { test: 'x' }; describe('no body'); it.extend({ a: 1 }); test.skipIf(cond);
// it("commented", () => {});
const s = "it('quoted', () => {})"; const u = \`test("quoted", () => {})\`;
`,
};

test("the tests of these sources are found as the page has them", async () => {
  const page: string[] = [];
  for (const [title, source] of Object.entries(SOURCES))
    page.push(`# ${title}`, source.trim(), "", await outlineOf(source), "");

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("\n")).toMatchFileSnapshot("found-in-javascript.txt");
});

test("escapes in titles mean the same as in JavaScript", async () => {
  const source = String.raw`
it('it\'s a \u0041 \x42 \u{1F600} \q', () => {});
it("line\nbreak\tand \
continued", () => {});
it('\u{FFFFFFF} not a character', () => {});
`;

  const tests = (await finder.findTests(source, "typescript")).tests;

  expect(tests.map(({ title }) => title)).toEqual([
    "it's a A B \u{1F600} q",
    "line\nbreak\tand continued",
    "u{FFFFFFF} not a character",
  ]);
});

test("JavaScript and JSX read like TypeScript", async () => {
  const source = `
const { it } = require("node:test");
describe("view", () => {
  it("renders <b>", () => { render(<Page title="it('no', () => {})">{rows.map((r) => <b key={r}>{r}</b>)}</Page>); });
});
`;

  const expected = ['suite "view" 3-5', '  test "renders <b>" 4-4'].join("\n");

  expect(await outlineOf(source, "javascript")).toBe(expected);
  expect(await outlineOf(source, "javascriptreact")).toBe(expected);
  expect(await outlineOf(source, "typescriptreact")).toBe(expected);
});

test("a file in the middle of being typed keeps the tests that are whole", async () => {
  const source = `
it("before", () => {});
describe("suite", () => {
  it("inside", () => { const x = ; });
  it("unfinished
});
it("after", () => {});
`;

  const tests = (await finder.findTests(source, "typescript")).tests;

  expect(tests.map(({ title }) => title)).toEqual(expect.arrayContaining(["before", "inside", "after"]));
});

test("places are 1-based and count UTF-16 units", async () => {
  const source = `const smile = "\u{1F600}"; it("here",\r\n  () => {});`;

  const [found] = (await finder.findTests(source, "typescript")).tests;

  expect(found).toMatchObject({ line: 1, firstLine: 1, endLine: 2, column: 21 });
});

test("a language without a grammar has no tests", async () => {
  for (const language of ["rust", "constructor"])
    expect(await finder.findTests('it("x", () => {})', language)).toEqual({ tests: [], isBroken: false });
});
