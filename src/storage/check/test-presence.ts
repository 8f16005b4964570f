import { join } from "node:path";
import type { TestRef } from "../../core/call.ts";
import { declaredName, isOutsideTests, liesInFile } from "../../core/test-names.ts";
import { READ_LIMITS, readText } from "../folder/read-file.ts";

/** Why a test is not where a recording says it is, as a sentence; undefined where it is there or cannot be ruled out. */
export type FindAbsence = (test: Pick<TestRef, "file" | "name">) => Promise<string | undefined>;

/** Looks for tests in their files below any of `folders`. Each file is read once. */
export function createTestFinder(folders: readonly string[]): FindAbsence {
  const texts = new Map<string, Promise<string | undefined>>();
  return async (test) => {
    if (!liesInFile(test)) return undefined;
    const known = texts.get(test.file);
    const reading = known ?? readFirst(folders.map((folder) => join(folder, test.file)));
    if (known === undefined) texts.set(test.file, reading);
    const text = await reading;
    if (text === undefined) return `The file of its test, ${test.file}, is not there.`;
    const title = declaredName(test).at(-1);
    if (title === undefined || isOutsideTests(test) || mayHold(text, title) || REDACTED.test(title))
      return undefined;
    if (test.name.length === 1 && holdsEnd(text, title)) return undefined;
    return `Its test "${title}" is not in ${test.file} any more.`;
  };
}

async function readFirst(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    try {
      return await readText(path, { most: READ_LIMITS.source, links: "followed" });
    } catch {
      continue;
    }
  }
  return undefined;
}

/** Some runners tell no path of titles but all of them joined by blanks: then the last of them ends the text. */
function holdsEnd(text: string, joined: string): boolean {
  const words = joined.split(" ");
  return words.some((_, index) => {
    const end = words.slice(index).join(" ");
    return end !== "" && ['"', "'", "`"].some((quote) => text.includes(end + quote));
  });
}

/** A title that said a secret is recorded without it. */
const REDACTED = /\[redacted: [^\]]+\]/;

/** Titles that are made when the tests run (tables, templates, loops, put together of parts) do not stand in the source. */
const MADE_TITLES = new RegExp(
  [
    String.raw`\.(?:each|for)\b|\`[^\`]*\$\{|%[sdifjop#$]|\bparametrize\b`,
    String.raw`\b(?:test|it|describe|suite|context|specify)(?:\.\w+)*\(\s*(?:[\w$]|"[^"\n]*"\s*\+|'[^'\n]*'\s*\+)`,
  ].join("|"),
);

function mayHold(text: string, title: string): boolean {
  return text.includes(title) || text.replaceAll("\\", "").includes(title) || MADE_TITLES.test(text);
}
