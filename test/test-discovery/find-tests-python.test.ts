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

test("exactly the tests that pytest and unittest collect are found, with pytest's ids and their first lines", async () => {
  const page = join(import.meta.dirname, "found-in-python.txt");
  const [source = ""] = readFileSync(page, "utf8").split(/(?<=\n)\n/);
  const { tests } = await finder.findTests(source, "python");
  const ids = tests.map(({ id, firstLine }) => `${firstLine} ${id}`);

  expect(ids).not.toEqual([]);
  // `vitest FILE -u` writes the outline anew, below the source.
  await expect([source, outline(tests), "", ...ids, ""].join("\n")).toMatchFileSnapshot(page);
});
