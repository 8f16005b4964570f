import { expect, test } from "vitest";
import { coverageTable, idsIn } from "./coverage.ts";
import { REQUIREMENTS } from "./requirement-ids.ts";

test("a title names requirements in brackets, and other brackets are left alone", () => {
  expect(idsIn("a miss is an error [MG-14, MG-I8] for [each] client [KO-D1]")).toEqual([
    "MG-14",
    "MG-I8",
    "KO-D1",
  ]);
});

test("a requirement passes when a test that names it passed and none failed", () => {
  const table = coverageTable([
    { file: "a.test.ts", title: "one [MG-01, MG-02]", state: "passed" },
    { file: "b.test.ts", title: "two [MG-02]", state: "failed" },
    { file: "b.test.ts", title: "three [MG-03]", state: "skipped" },
    { file: "b.test.ts", title: "four [ZZ-99]", state: "passed" },
  ]);

  expect(table.proved).toBe(1);
  expect(table.unknown).toEqual(["ZZ-99"]);
  expect(table.markdown).toMatch(/\| MG-01 \|.*a\.test\.ts: one \| pass \|/);
  expect(table.markdown).toMatch(/\| MG-02 \|.*\*\*fail\*\* \|/);
  expect(table.markdown).toMatch(/\| MG-03 \|.*not run \|/);
  expect(table.markdown).toMatch(/\| MG-04 \|.*\*\*missing\*\* \|/);
});

test("the list has the 295 requirements of the five systems and the six that hold across them", () => {
  const ids = Object.keys(REQUIREMENTS);

  expect(ids.filter((id) => !id.startsWith("X-"))).toHaveLength(295);
  expect(ids.filter((id) => id.startsWith("X-"))).toHaveLength(6);
});
