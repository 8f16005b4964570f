import { localize } from "../../core/base/localize.ts";
import { dirname, join } from "node:path";
import type { TestRef } from "../../core/call/call.ts";
import {
  type CanDeclare,
  declaresTests,
  listImportedFiles,
  readTitles,
} from "../../core/call/made-titles.ts";
import { getDeclaredName, isOutsideTests, isInFile } from "../../core/call/test-names.ts";
import { getPathInside } from "../inside.ts";
import { READ_LIMITS, readText } from "../folder/read-file.ts";
import { type RecordingUsage, type UsageTest, createUsageId } from "../../core/view/usage/usage.ts";

/** Explains, in one sentence, why a recording's test no longer exists; undefined if it does, or may. */
export type FindAbsence = (test: Pick<TestRef, "file" | "name">) => Promise<string | undefined>;

/**
 * Looks for tests in their files below any of `folders`, and in what these import. Each file is read once. If one of the
 * folders is not inside the other, projects elsewhere may share the recordings, so a missing file proves nothing.
 */
export function createTestFinder(folders: readonly string[]): FindAbsence {
  const isShared = folders.some((one) => folders.some((other) => areApart(one, other)));
  const modules = new Map<string, Promise<Module | undefined>>();
  const read = async (path: string): Promise<Module | undefined> => {
    const reading = modules.get(path) ?? readModule(path);
    modules.set(path, reading);
    return reading;
  };
  const suites = new Map<Module, Promise<readonly CanDeclare[]>>();
  return async (test) => {
    if (!isInFile(test)) return undefined;
    const module = await firstOf(
      folders.map((folder) => join(folder, test.file)),
      read,
    );
    if (module === undefined && (isShared || BUILT.test(test.file))) return undefined;
    if (module === undefined) return localize("The file of its test does not exist: {0}.", test.file);
    const name = getDeclaredName(test);
    const title = name.at(-1);
    if (title === undefined || isOutsideTests(test) || REDACTED.test(title)) return undefined;
    if (module.canDeclare(name)) return undefined;
    const imported = suites.get(module) ?? suitesOf(module, read);
    suites.set(module, imported);
    if ((await imported).some((canDeclare) => canDeclare(name))) return undefined;
    return localize('Its test "{0}" is no longer in {1}.', title, test.file);
  };
}

/** Matches files in folders of builds, which are not committed. */
const BUILT = /(?:^|\/)(?:\.[^/]+|build|dist|out)\//;

const areApart = (one: string, other: string): boolean =>
  getPathInside(one, other) === undefined && getPathInside(other, one) === undefined;

interface Module {
  readonly path: string;
  readonly source: string;
  readonly canDeclare: CanDeclare;
}

type ReadModule = (path: string) => Promise<Module | undefined>;

/** Suites that many files run are declared in a module that they import, or that this one imports. */
async function suitesOf(module: Module, read: ReadModule): Promise<readonly CanDeclare[]> {
  const near = await importsOf(module, read);
  const far = await Promise.all(near.map((one) => importsOf(one, read)));
  const all = new Set([...near, ...far.flat()]);
  return (
    [...all]
      .filter(({ source }) => declaresTests(source))
      // A suite of this file can have the tests of the other one.
      .map(({ path, source }) => readTitles(path, `${module.source}\n${source}`))
  );
}

async function importsOf({ path, source }: Module, read: ReadModule): Promise<readonly Module[]> {
  const found = await Promise.all(
    listImportedFiles(path, source).map((places) =>
      firstOf(
        places.map((place) => join(dirname(path), place)),
        read,
      ),
    ),
  );
  return found.filter((one) => one !== undefined);
}

async function firstOf(paths: readonly string[], read: ReadModule): Promise<Module | undefined> {
  for (const path of paths) {
    const found = await read(path);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function readModule(path: string): Promise<Module | undefined> {
  try {
    const source = await readText(path, { most: READ_LIMITS.source, links: "followed" });
    return { path, source, canDeclare: readTitles(path, source) };
  } catch {
    return undefined;
  }
}

/** Titles are recorded without secrets. */
const REDACTED = /\[redacted: [^\]]+\]/;

/** Tells the tests that are not in their files any more, among these. */
export async function findGone(
  tests: readonly UsageTest[],
  findAbsence: FindAbsence,
): Promise<(test: UsageTest) => boolean> {
  const found = new Map<string, boolean>();
  for (const { file, name } of tests) {
    const id = createUsageId({ file, name });
    if (!found.has(id)) found.set(id, (await findAbsence({ file, name })) !== undefined);
  }
  return ({ file, name }) => found.get(createUsageId({ file, name })) === true;
}

export function listUsageTests(usage: RecordingUsage): readonly UsageTest[] {
  return [...usage.tests.values()].map(({ test }) => test);
}
