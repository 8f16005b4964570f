import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expect, it } from "vitest";
import { LONG_PROGRAMS, LONG_RUNNERS, LONG_STORIES } from "../scripts/checks/long.mjs";

const root = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Returns the names in backticks that begin like a path of the project. */
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:test|src|docs|scripts)\/[^`*\s]+)`/g)].flatMap(([, path]) => path ?? []);

it.each(["docs/security.md", "src/README.md", "SECURITY.md", "CONTRIBUTING.md"])(
  "every file that %s names is there",
  (document) => {
    expect(pathsIn(read(document)).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);

/** Pages that people follow links in. */
const PAGES = [
  "README.md",
  "README.zh-CN.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "src/README.md",
].concat(
  filesBelow(join(root, "docs"))
    .filter((file) => file.endsWith(".md"))
    .map((file) => relative(root, file).replaceAll(sep, "/")),
);

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );

it.each(PAGES)("every link of %s leads to a file, and to a heading that is there", (page) => {
  const broken = [...read(page).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
    .filter(([, path = "", anchor]) => {
      const target = path === "" ? join(root, page) : resolve(root, dirname(page), path);
      if (!existsSync(target)) return true;
      return anchor !== undefined && !anchorsIn(readFileSync(target, "utf8")).includes(anchor);
    })
    .map(([link]) => link);

  const pictures = [...read(page).matchAll(/\b(?:src|srcset)="([^"]+)"/g)].map(([, path = ""]) => path);

  expect(broken).toEqual([]);
  expect(pictures.filter((path) => !existsSync(resolve(root, dirname(page), path)))).toEqual([]);
});

it("docs/security.md names a test for each threat", () => {
  const [, table = ""] = read("docs/security.md").split("## Threats and what holds");
  const rows = (table.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (?:threat|---) \|/.test(line));

  const without = rows.filter((row) => {
    const shownBy = row.split(" | ").at(-1) ?? "";
    return !pathsIn(shownBy).some((path) => path.startsWith("test/"));
  });

  expect(without).toEqual([]);
  expect(rows.length).toBeGreaterThan(20);
});

it("no test reads anything beside the clone", () => {
  const files = filesBelow(import.meta.dirname).filter((file) => /\.[cm]?ts$/.test(file));

  const outside = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/import\.meta\.dirname,\s*((?:"[^"]*",?\s*)+)/g)]
      .map(([, steps = ""]) =>
        resolve(dirname(file), ...[...steps.matchAll(/"([^"]*)"/g)].map(([, step = ""]) => step)),
      )
      .filter((place) => place !== root && !place.startsWith(`${root}${sep}`))
      .map((place) => `${file}: ${place}`),
  );

  expect(files.length).toBeGreaterThan(200);
  expect(outside).toEqual([]);
});

it("what npm test leaves to npm run test:long is there", () => {
  const files = [...LONG_PROGRAMS, ...LONG_RUNNERS, ...LONG_STORIES];

  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

/** Returns all files except those of installed packages. */
function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== "node_modules");
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}
