import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** What is named in backticks and begins as a path of the project does. */
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:test|src|docs|scripts)\/[^`*\s]+)`/g)].flatMap(([, path]) => path ?? []);

it.each(["docs/security.md", "src/README.md", "SECURITY.md", "CONTRIBUTING.md"])(
  "every file that %s names is there",
  (document) => {
    expect(pathsIn(read(document)).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);

it("docs/security.md names a test for each threat", () => {
  const [, table = ""] = read("docs/security.md").split("## Threats and what holds");
  const rows = (table.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2);

  const without = rows.filter((row) => {
    const shownBy = row.split(" | ").at(-1) ?? "";
    return !pathsIn(shownBy).some((path) => path.startsWith("test/"));
  });

  expect(without).toEqual([]);
  expect(rows.length).toBeGreaterThan(20);
});
