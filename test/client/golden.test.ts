import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GOLDEN_FOLDER, goldenFile } from "./golden.ts";

test("every file of golden rows runs to its last row, except defects that a requirement overrules [X-06]", () => {
  const files = readdirSync(GOLDEN_FOLDER).filter((name) => name.endsWith(".json"));
  const sources = [import.meta.dirname, join(import.meta.dirname, "../systems")].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(folder, name), "utf8")),
  );

  const unread = files.filter((file) => {
    const reads = `goldenFile("${file.replace(".json", "")}")`;
    return !sources.some((source) => source.includes(reads) && source.includes(".done()"));
  });

  const rows = files.flatMap((file) => goldenFile(file.replace(".json", "")).rows);
  const overruled = rows.filter(({ source_defect }) => source_defect !== undefined).length;
  console.log(
    `▸ golden rows: ${rows.length} in ${files.length} files, ${overruled} overruled by a requirement`,
  );
  expect(rows).toHaveLength(1_611);
  expect(unread).toEqual([]);
});
