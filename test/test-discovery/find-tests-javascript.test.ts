import { readFileSync } from "node:fs";
import { join } from "node:path";
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

test("the tests of the sources on the page are found as it has them", async () => {
  const page = join(import.meta.dirname, "found-in-javascript.txt");
  const sources = readFileSync(page, "utf8").split(/^(?=# )/m);
  const found: string[] = [];
  for (const one of sources) {
    const [, title = "", source = ""] = /^(# .*)\n([^]*?)\n\n/.exec(one) ?? [];
    found.push(title, source, "", await outlineOf(`\n${source}\n`), "");
  }

  expect(sources).toHaveLength(4);
  // `vitest FILE -u` writes the outlines anew, below each source.
  await expect(found.join("\n")).toMatchFileSnapshot(page);
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

test("lines are 1-based", async () => {
  const source = `const smile = "\u{1F600}"; it("here",\r\n  () => {});`;

  const [found] = (await finder.findTests(source, "typescript")).tests;

  expect(found).toMatchObject({ line: 1, firstLine: 1, endLine: 2 });
});

test("a language without a grammar has no tests", async () => {
  for (const language of ["rust", "constructor"])
    expect(await finder.findTests('it("x", () => {})', language)).toEqual({ tests: [], isBroken: false });
});
