import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { desktop, runExtensionSuite } from "../host/extension-suite.mjs";
import { resultsDir, rootDir } from "../host/paths.mjs";
import { programOf, runNode } from "./run.mjs";

/** @typedef {import("./figures-reporter.mjs").Figures & { output: string }} Result */
/** @typedef {{ name: string, run: () => Promise<Result> }} Step */

/** A program that passes when it exits with 0: one test. @param {string} name @param {readonly string[]} args @returns {Step} */
const program = (name, args) => ({
  name,
  run: async () => {
    const { code, output } = await runNode(args);
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: [], output };
  },
});

const tsc = programOf("typescript", "tsc");

/** @type {readonly Step[]} */
export const staticChecks = [
  program("types", [tsc, "-p", "."]),
  program("types of the tests in VS Code", [tsc, "-p", "test/host"]),
  program("types of the pages", [tsc, "-p", "src/pages"]),
  program("types of the sample workspace", [tsc, "-p", "demo/workspace"]),
  program("lint", [programOf("oxlint"), "--type-aware"]),
  program("format", [programOf("oxfmt"), "--check"]),
  program("dead code", [programOf("knip")]),
];

export const buildStep = program("build", ["scripts/build.mjs"]);

/**
 * Tests that vitest runs.
 * @param {string} name
 * @param {readonly string[]} args
 * @returns {Step}
 */
export const vitest = (name, args) => ({
  name,
  run: async () => {
    const file = join(resultsDir, `${name.replaceAll(/\W+/g, "-")}.json`);
    mkdirSync(resultsDir, { recursive: true });
    rmSync(file, { force: true });
    const reporter = join(rootDir, "scripts", "checks", "figures-reporter.mjs");
    const { code, output } = await runNode(
      [programOf("vitest"), "run", "--reporter=default", `--reporter=${reporter}`, ...args],
      { TEST_FIGURES: file, NO_COLOR: "1" },
    );
    const figures = readFigures(file) ?? { passed: 0, failed: 1, skipped: [] };
    return { ...figures, failed: figures.failed || (code === 0 ? 0 : 1), output };
  },
});

/** @param {string} file @returns {import("./figures-reporter.mjs").Figures | undefined} */
function readFigures(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined; // it broke off
  }
}

/** @type {Step} */
export const extensionSuite = {
  name: desktop
    ? `in the extension host of a desktop VS Code (${desktop})`
    : "in the extension host of a VS Code server",
  run: runExtensionSuite,
};

/** Real runners, each with the hooks in it and with one test asked for. @param {readonly string[]} filters */
export const runnerMatrix = (filters) =>
  vitest("real test runners", ["--config", "test/runners/vitest.config.ts", ...filters]);

/** Tests in a browser. @param {string} name @param {readonly string[]} args */
const browser = (name, args) => vitest(name, ["--config", "test/host/e2e/vitest.config.ts", ...args]);

/** Stories of killed hosts, full disks, endless runs and thousands of recordings: of `npm run test:long`. */
export const longStories = ["lifecycle", "runs-that-go-wrong", "many-recordings"];

const allButLong = longStories.flatMap((name) => ["--exclude", `test/host/e2e/${name}.test.ts`]);

/**
 * A step whose failed files are run once more, each in a VS Code of its own: what a person's hands meet in a window
 * that is drawn anew is not the same twice. A file that passes then is named, never passed over.
 * @param {Step} step
 * @param {(files: readonly string[]) => Step} anew the same for some files
 * @returns {Step}
 */
const onceMore = (step, anew) => ({
  ...step,
  run: async () => {
    const first = await step.run();
    const { failedFiles: failed = [] } = first;
    if (failed.length === 0 || failed.length > 3) return first;
    const files = failed.map(({ file }) => file);
    const second = await anew(files).run();
    return {
      passed: first.passed - failed.reduce((sum, { passed }) => sum + passed, 0) + second.passed,
      failed: second.failed,
      skipped: [
        ...first.skipped.filter((test) => !files.some((file) => test.startsWith(file))),
        ...second.skipped,
      ],
      output: `${first.output}\n▸ once more, as something failed: ${files.join(", ")}\n${second.output}`,
    };
  },
});

/** All stories but the long ones, unless some are named. @param {readonly string[]} filters */
export const endToEnd = (filters) =>
  onceMore(
    browser("in the workbench", filters.length > 0 ? filters : ["test/host/e2e", ...allButLong]),
    (files) => browser("in the workbench, once more", files),
  );

export const packageCheck = onceMore(browser("the package", ["test/host/package"]), (files) =>
  browser("the package, once more", files),
);
