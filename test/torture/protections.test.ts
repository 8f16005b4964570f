import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { transform } from "esbuild";
import { expect, it } from "vitest";
import { readProtections } from "../../scripts/checks/protections.mjs";
import { sourceWithout } from "../../scripts/checks/without-protection.mjs";
import { tortures } from "./all.ts";

const root = resolve(import.meta.dirname, "../..");
const all = readProtections();
const read = (path: string): string => readFileSync(join(root, path), "utf8");

it("each protection that is removed on trial is in its file, once", () => {
  const misplaced = all
    .map(({ what, file, find }) => ({ what, times: read(file).split(find).length - 1 }))
    .filter(({ times }) => times !== 1);

  expect(misplaced).toEqual([]);
  expect(all.length).toBeGreaterThan(60);
});

/** Words that no source has to declare. */
const KNOWN = new Set([
  ...Object.getOwnPropertyNames(globalThis),
  ..."as async await const false if import new null readonly return throw true typeof void".split(" "),
  ..."Awaited ReturnType".split(" "),
]);

it("each replacement uses names of its file alone, so that its tests fail for the missing protection", () => {
  const foreign = all.flatMap(({ what, file, replace }) => {
    const source = read(file);
    const code = replace.replaceAll(/"[^"]*"|'[^']*'|\/(?:\\.|[^/\n])+\/[a-z]*|\\./g, "");
    const words = code.match(/(?<![.\w])[A-Za-z_]\w*/g) ?? [];
    return words
      .filter((word) => !KNOWN.has(word) && !new RegExp(String.raw`\b${word}\b`).test(source))
      .filter((word) => !new RegExp(String.raw`(?:const \W*|\(\W*)${word}\W`).test(code))
      .map((word) => `${what}: ${word}`);
  });

  expect(foreign).toEqual([]);
});

it("each file still compiles without its protection, so that its tests run", async () => {
  const broken: string[] = [];
  for (const protection of all.filter(({ file }) => /\.[cm]?[jt]s$/.test(file))) {
    const { contents } = sourceWithout(protection);
    const problem = await transform(contents, { loader: "ts", logLevel: "silent" }).catch(String);
    if (typeof problem === "string") broken.push(`${protection.what}: ${problem}`);
  }

  expect(broken).toEqual([]);
});

it("each torture rests on at least one protection, and each other protection on tests that are there", () => {
  const missing = all.flatMap(({ what, tests, named }) => {
    const gone = tests.filter((path) => !path.startsWith("test/") || !existsSync(join(root, path)));
    const isNamed = named === undefined || tests.some((path) => isSaidIn(path, named));
    return gone.length === 0 && isNamed ? [] : [what];
  });

  expect(missing).toEqual([]);
  expect(new Set(all.flatMap(({ torture }) => torture ?? []))).toEqual(
    new Set(tortures.map(({ name }) => name)),
  );
});

/** Returns whether every word of a title is in a file; titles are composed of their groups' and their own. */
function isSaidIn(path: string, named: string): boolean {
  const whole = join(root, path);
  const files = statSync(whole).isDirectory()
    ? readdirSync(whole, { recursive: true, encoding: "utf8" }).map((name) => join(path, name))
    : [path];
  return files
    .filter((name) => name.endsWith(".test.ts"))
    .some((name) => named.split(" ").every((word) => read(name).includes(word)));
}
