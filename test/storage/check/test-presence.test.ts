import { expect, it } from "vitest";
import { createTestFinder } from "../../../src/storage/check/test-presence.ts";
import { aProject } from "../../cli/tapedeck.ts";

const GONE = 'Its test "asks one" is not in a.test.js any more.';

it.each([
  ['test("asks one", ask);', undefined],
  ['for (const p of prompts) test("asks " + p, ask);', undefined],
  ["it('asks ' + p, ask);", undefined],
  ["cases.map(({ name }) => test.only(name, ask));", undefined], // text to read, never run
  ["describe(\n  title,\n  tests);", undefined],
  ["for (const p of prompts) test(`asks ${p}`, ask);", undefined],
  ['test("asks two", ask);', GONE],
  ['test("asks " /* what? */, ask); const more = "a" + "b";', GONE],
])("of a file with %j", async (text, absence) => {
  const find = createTestFinder([aProject({ "a.test.js": text })]);

  expect(await find({ file: "a.test.js", name: ["asks one"] })).toBe(absence);
});
