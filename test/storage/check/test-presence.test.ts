import { expect, it } from "vitest";
import { createTestFinder } from "../../../src/storage/check/test-presence.ts";
import { aProject } from "../../cli/tapedeck.ts";

const GONE = 'Its test "asks one" is no longer in a.test.js.';

it.each([
  ['test("asks one", ask);', undefined],
  ['for (const p of prompts) test("asks " + p, ask);', undefined],
  ["it('asks ' + p, ask);", undefined],
  ["cases.map(({ name }) => test.only(name, ask));", undefined], // text to read, never run
  ["describe(\n  title,\n  tests);", undefined], // whose titles may be reported joined
  ["for (const p of prompts) test(`asks ${p}`, ask);", undefined],
  ['test("asks two", ask);', GONE],
  ['test("asks " /* what? */, ask); const more = "a" + "b";', GONE],
  // In a file with computed titles, any title is possible.
  ["for (const p of prompts) test(`reports ${p}`, ask);", undefined],
  ["test(`${p}`, ask);", undefined],
  ["const say = (p) => `Say ${p}`; test('asks two', () => ask(say('hi')));", GONE],
  ['test("reports " + p, ask);', undefined],
  ['test.each(["one"])("asks %s", ask);', undefined],
  ["test.each(cases)(title, ask);", undefined],
  ["test.for(cases)('reports %s', ([name]) => ask(name, /a/.test(name)));", undefined],
  ["const myTest = test.extend({}); myTest(name, ask);", undefined],
  ['test("asks one more", ask);', GONE],
  ["test('asks \\'one\\'', ask); t.test(name, ask);", undefined],
])("of a file with %j", async (text, absence) => {
  const find = createTestFinder([aProject({ "a.test.js": text })]);

  expect(await find({ file: "a.test.js", name: ["asks one"] })).toBe(absence);
});

it.each([
  ["@pytest.mark.parametrize('p', PS)\ndef test_ask(p): ...", undefined],
  ["@pytest.mark.parametrize('p', PS)\ndef test_ask_twice(p): ...", "gone"],
  ["class TestAsk(Asking): ...", undefined],
  ["class TestAsk(unittest.TestCase):\n    def test_tell(self): ...", "gone"],
  ["class TestAsk:\n    @parameterized.expand(PS)\n    def test_as(self, p): ...", undefined],
])("of a file of Python with %j", async (text, absence) => {
  const find = createTestFinder([aProject({ "test_a.py": text })]);
  const found = await find({ file: "test_a.py", name: ["TestAsk", "test_ask[hi]"] });

  expect(found === undefined ? undefined : "gone").toBe(absence);
});

it.each([
  ["a_test.go", "func TestAsk(t *testing.T) {}", "TestAsk/in_one_word", undefined],
  ["a_test.go", "func TestTell(t *testing.T) {}", "TestAsk/in_one_word", "gone"],
  ["ask.rs", "#[rstest] fn asks() {}", "asks::case_1", undefined],
  ["ask_test.rb", 'define_method("test_#{n}") { }', "test_1", undefined],
  ["ask.feature", "Scenario: asks one", "asks two", "gone"],
])("of %s with %j, the test %j", async (file, text, title, absence) => {
  const find = createTestFinder([aProject({ [file]: text })]);
  const found = await find({ file, name: [title] });

  expect(found === undefined ? undefined : "gone").toBe(absence);
});

it.each([".output/server/index.mjs", "packages/web/build/index.js", "dist/server/entry.mjs"])(
  "of a build, which is not committed, a missing file proves nothing: %s",
  async (file) => {
    const find = createTestFinder([aProject()]);

    expect(await find({ file, name: [] })).toBeUndefined();
    expect(await find({ file: "build.mjs", name: [] })).toBe(
      "The file of its test does not exist: build.mjs.",
    );
  },
);

it("of a Python test without a function of its name, as plugins make them, is checked like any other", async () => {
  const find = createTestFinder([aProject({ "test_a.py": "def test_ask(): ..." })]);

  expect(await find({ file: "test_a.py", name: ["asks-one (1)"] })).toContain(
    '"asks-one (1)" is no longer in',
  );
});

it.each([
  [["asking", "asks one"], undefined],
  [["asking asks one"], undefined],
  [["asking reports all"], 'Its test "asking reports all" is no longer in a.test.js.'],
  [["asking for all"], 'Its test "asking for all" is no longer in a.test.js.'],
])("knows titles one by one or joined: %j", async (name, absence) => {
  const text = 'describe("asking", () => test("asks one", () => expect(ask()).toBe("all")));';
  const find = createTestFinder([aProject({ "a.test.js": text })]);

  expect(await find({ file: "a.test.js", name })).toBe(absence);
});

const LONG = "asks the model to sum up ".repeat(8);

it.each([
  ['test("asks\\tone \\u202e \\u{1f44b}", ask);', "asks\tone \u202e 👋"],
  ["test(`asks\none`, ask);", "asks\none"],
  [`test("${LONG}", ask);`, LONG.slice(0, 120)], // hooks cut the titles of a long name
])("knows the title in %j as it is reported", async (text, title) => {
  const find = createTestFinder([aProject({ "a.test.js": text })]);

  expect(await find({ file: "a.test.js", name: [title] })).toBeUndefined();
  expect(await find({ file: "a.test.js", name: [title.slice(0, -1)] })).toContain("is no longer in");
});

it.each([
  ["itself", 'import { promises } from "./promises.js"; promises("cache");'],
  ["through another", 'import { all } from "./all"; all();'],
])("knows tests of a suite that a file imports %s", async (_, text) => {
  const find = createTestFinder([
    aProject({
      "a.test.ts": text,
      "all.ts": 'import { promises } from "./promises.ts"; export const all = () => promises("cache");',
      "promises.ts": "export const promises = (of) => describe(of, () => it.skip(`a ${of} asks`, ask));", // text to read, never run
    }),
  ]);

  expect(await find({ file: "a.test.ts", name: ["cache", "a cache asks"] })).toBeUndefined();
});
