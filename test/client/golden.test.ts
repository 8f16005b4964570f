import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GOLDEN_FOLDER, goldenIsPresent } from "./golden.ts";

test.skipIf(!goldenIsPresent)(
  "every file of golden rows is run to its last row, but for the defects that a requirement overrules [X-06] (needs ../shared/data)",
  () => {
    const files = readdirSync(GOLDEN_FOLDER).filter((name) => name.endsWith(".json"));
    const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(import.meta.dirname, name), "utf8"));

    const unread = files.filter((file) => {
      const reads = `goldenFile("${file.replace(".json", "")}")`;
      return !sources.some((source) => source.includes(reads) && source.includes(".done()"));
    });

    expect(files.length).toBeGreaterThan(0);
    expect(unread).toEqual([]);
  },
);
