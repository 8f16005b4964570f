import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { idsOfTable } from "../../scripts/checks/coverage-table.mjs";

test("the table has the 295 requirements of the five systems and the six that hold across them", () => {
  const ids = idsOfTable(readFileSync(join(import.meta.dirname, "coverage.md"), "utf8"));

  expect(new Set(ids.filter((id) => !id.startsWith("X-"))).size).toBe(295);
  expect(ids.filter((id) => id.startsWith("X-"))).toHaveLength(6);
});
