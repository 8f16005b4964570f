import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fillIn, idsIn, idsOfTable } from "../../scripts/checks/coverage-table.mjs";

test("a title names requirements in brackets, and other brackets are left alone", () => {
  expect(idsIn("a miss is an error [MG-14, MG-I8] for [each] client [KO-D1]")).toEqual([
    "MG-14",
    "MG-I8",
    "KO-D1",
  ]);
});

test("a requirement passes when a test that names it passed and none failed", () => {
  const empty = ["1", "2", "3", "4"]
    .map((digit) => `| MG-0${digit} | words ${digit} | – | pass |`)
    .join("\n");
  const table = fillIn(`0 of 9 requirements\n\n## One: 0 of 0\n${empty}\n`, [
    { file: "a.test.ts", title: "one [MG-01, MG-02]", state: "passed" },
    { file: "b.test.ts", title: "two [MG-02]", state: "failed" },
    { file: "b.test.ts", title: "three [MG-03]", state: "skipped" },
    { file: "b.test.ts", title: "four [ZZ-99]", state: "passed" },
  ]);

  expect(table).toEqual({
    markdown: `1 of 4 requirements

## One: 1 of 4
| MG-01 | words 1 | a.test.ts: one | pass |
| MG-02 | words 2 | a.test.ts: one<br>b.test.ts: two | **fail** |
| MG-03 | words 3 | b.test.ts: three | not run |
| MG-04 | words 4 | – | **missing** |
`,
    figures: "1 of 4",
    unknown: ["ZZ-99"],
  });
});

test("the table has the 295 requirements of the five systems and the six that hold across them", () => {
  const ids = idsOfTable(readFileSync(join(import.meta.dirname, "coverage.md"), "utf8"));

  expect(new Set(ids.filter((id) => !id.startsWith("X-"))).size).toBe(295);
  expect(ids.filter((id) => id.startsWith("X-"))).toHaveLength(6);
});
