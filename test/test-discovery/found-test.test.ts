import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestFinder, type TestFinder } from "../../src/test-discovery/find-tests.ts";
import { mayHaveTests } from "../../src/test-discovery/first-look.ts";
import { type FoundTest, createCase, resolveTest } from "../../src/test-discovery/found-test.ts";
import { grammarsDir } from "./finder.ts";

let finder: TestFinder;
let tests: readonly FoundTest[];
beforeAll(async () => {
  finder = await createTestFinder({ grammarsDir });
  tests = (await finder.findTests(SOURCE, "typescript")).tests;
});
afterAll(() => finder.dispose());

const SOURCE = `describe("outer", () => {
  beforeAll(() => ask());
  it("same", () => {});
  it("same", () => {
    ask();
  });
  it.each(rows)("row %s of (%s)", () => {});
  it("row 1 of (2)", () => {});
});
describe("outer twin", () => { it("same", () => {}); });
it(\`at \${top}\`, () => {
  ask();
});
`;

const place = (found: FoundTest | undefined): string => (found ? `${found.line} ${found.title}` : "none");

test("titles decide, whatever the line is", () => {
  expect(place(resolveTest(tests, { name: ["outer twin", "same"], line: 4 }))).toBe("10 same");
  expect(place(resolveTest(tests, { joined: "outer twin same" }))).toBe("10 same");
});

test("among tests of the same titles the line decides", () => {
  expect(place(resolveTest(tests, { name: ["outer", "same"], line: 5 }))).toBe("4 same");
  expect(place(resolveTest(tests, { name: ["outer", "same"], line: 99 }))).toBe("3 same");
});

test("a computed title finds its declaration, and a literal one has priority", () => {
  expect(place(resolveTest(tests, { name: ["outer", "row 7 of (8)"] }))).toBe("7 row %s of (%s)");
  expect(place(resolveTest(tests, { name: ["outer", "row 1 of (2)"] }))).toBe("8 row 1 of (2)");
  expect(place(resolveTest(tests, { joined: "outer row a of (b)" }))).toBe("7 row %s of (%s)");
  expect(place(resolveTest(tests, { name: ["at the top"] }))).toBe("11 at ${top}");
});

test("a pytest case belongs to its function, and runs alone", async () => {
  const found = (
    await finder.findTests(
      'import pytest\nclass TestK:\n  @pytest.mark.parametrize("x", ROWS)\n  def test_two(self, x): pass\n  def test_one(self): pass\n',
      "python",
    )
  ).tests;
  const pointer = { name: ["TestK", "test_two[a::b-[c]]"] };
  const declared = resolveTest(found, pointer);

  expect(place(declared)).toBe("4 test_two");
  expect(declared && createCase(declared, pointer).id).toBe("TestK::test_two[a::b-[c]]");
  expect(declared && createCase(declared, { name: ["TestK", "test_two"] })).toBe(declared);
});

test("brackets in another runner's titles are a part of them", () => {
  expect(place(resolveTest(tests, { name: ["outer", "same[1]"] }))).toBe("none");
});

test("the titles of a suite are that suite", () => {
  expect(place(resolveTest(tests, { name: ["outer"], line: 2 }))).toBe("1 outer");
});

test("without titles that fit, the test or the suite around the line is meant, if there is one", () => {
  expect(place(resolveTest(tests, { name: ["renamed since"], line: 5 }))).toBe("4 same");
  expect(place(resolveTest(tests, { line: 12 }))).toBe("11 at ${top}");
  expect(place(resolveTest(tests, { name: [], line: 2 }))).toBe("1 outer");
  expect(place(resolveTest(tests, { name: [], line: 99 }))).toBe("none");
  expect(place(resolveTest(tests, {}))).toBe("none");
});

test("a pytest id names its function, whatever its folder and parameters hold", async () => {
  const python = (
    await finder.findTests("def test_a(): pass\nclass TestK:\n    def test_m(self, x): pass\n", "python")
  ).tests;

  const found = resolveTest(python, {
    id: "dir[1]/test_a.py::TestK::test_m[a::b [c]]",
    name: ["TestK", "wrong"],
  });

  expect(place(found)).toBe("3 test_m");
});

test("a title with many gaps is compared in no time", async () => {
  const gaps = "${x}a".repeat(40);
  const found = (await finder.findTests(`it(\`${gaps}\`, () => {})`, "typescript")).tests;

  const hit = resolveTest(found, { name: ["a".repeat(900) + "b"] });

  expect(hit).toBeUndefined();
});

test("a cheap check recognizes files without tests", () => {
  expect(mayHaveTests("export const a = 1; const iterate = (it) => it;", "typescript")).toBe(false);
  expect(mayHaveTests("def helper(): pass\n", "python")).toBe(false);
  expect(mayHaveTests('it("x", () => {})', "rust")).toBe(false);
  expect(mayHaveTests(SOURCE, "typescript")).toBe(true);
  expect(mayHaveTests("class TestK:\n  pass", "python")).toBe(true);
});
