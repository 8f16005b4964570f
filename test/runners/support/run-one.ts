import { existsSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import { isTapedeckError } from "../../../src/core/base/errors.ts";
import { type DetectOptions, detectRunner } from "../../../src/test-discovery/detect-runner.ts";
import { type RunTarget, createCommandForTest } from "../../../src/test-discovery/run-one.ts";
import { createCase } from "../../../src/test-discovery/found-test.ts";
import type { ProjectFiles, TestRunner } from "../../../src/test-discovery/test-runner.ts";
import { casesOf } from "../../support/cases.ts";
import { type Project, run } from "../../fixtures/runners/project.ts";
import { declarationsIn } from "./declarations.ts";

const onDisk: ProjectFiles = {
  readFile: async (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined),
  exists: async (path) => existsSync(path),
};

export interface OneFile {
  readonly project: Project;
  /** Its path in the project. */
  readonly file: string;
  readonly runner: TestRunner;
}

/** A file of a project with the runner that Tapedeck finds for it. */
export async function oneFile(
  project: Project,
  file: string,
  more: Partial<DetectOptions> = {},
): Promise<OneFile> {
  const runner = await detectRunner({
    ...onDisk,
    file: project.path(file),
    workspaceFolder: project.dir,
    nodeVersion: process.version,
    ...more,
  });
  if (isTapedeckError(runner)) throw runner;
  return { project, file, runner };
}

let count = 0;

/**
 * The names that tests wrote when what the line marked so declares was asked for, or the whole file, or as a call of
 * that `name`; sorted.
 */
export async function ranFor(
  one: OneFile,
  mark: string | undefined,
  name?: readonly string[],
): Promise<readonly string[]> {
  const report = one.project.path(`ran-${(count += 1)}`);
  const path = one.project.path(one.file);
  const target = await marked(path, mark);
  const isOne = target !== undefined && "kind" in target;
  const command = createCommandForTest(
    one.runner,
    path,
    isOne && name ? createCase(target, { name }) : target,
  );
  const { output } = await run(command, { RAN: report });
  if (!existsSync(report)) throw new Error(`nothing ran for ${mark}:\n${command.args.join("\n")}\n${output}`);
  return readFileSync(report, "utf8").trimEnd().split("\n").sort();
}

async function marked(path: string, mark: string | undefined): Promise<RunTarget> {
  const text = readFileSync(path, "utf8");
  const tests = await declarationsIn(path, text);
  if (mark === undefined) return tests;
  const line = text.split("\n").findIndex((one) => one.includes(`wanted ${mark}`)) + 1;
  const found = tests.find((one) => one.line === line);
  if (found === undefined) throw new Error(`${path} has nothing marked ${mark}`);
  return found;
}

/** The tests that run for each mark in the hostile JavaScript file. */
const EXACTLY = {
  test: ["the one"],
  lines: ["lines"],
  loop: ["loop 1", "loop 2"],
  suite: ["twin a", "twin b"],
} as const;

const ALL = [
  "beside",
  "fewer lines",
  "lines",
  "longer",
  "longer in front",
  "loop 1",
  "loop 2",
  "other",
  "the one",
  "twin a",
  "twin b",
];

type Mark = keyof typeof EXACTLY;

export const EVERY_MARK: readonly Mark[] = ["test", "lines", "loop", "suite"];

/** Fails where more or less ran than what was asked for: a test, a loop of tests, a suite, the file. */
export async function expectExactlyOne(
  one: OneFile,
  marks: readonly Mark[] = casesOf({ quick: ["test", "suite"], long: EVERY_MARK }),
): Promise<void> {
  for (const mark of marks) expect([mark, await ranFor(one, mark)]).toEqual([mark, EXACTLY[mark]]);
  expect(await ranFor(one, undefined)).toEqual(ALL);
}
