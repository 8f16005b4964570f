import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { desktop, runExtensionSuite } from "../host/extension-suite.mjs";
import { resultsDir, rootDir } from "../host/paths.mjs";
import { LONG_RUNNERS, LONG_STORIES } from "./long.mjs";
import { programOf, runNode } from "./run.mjs";

/** @typedef {import("./figures-reporter.mjs").Figures & { output: string }} Result */
/** @typedef {{ name: string, run: () => Promise<Result> }} Step */

/** A program that passes when it exits with 0: one test. @param {string} name @param {readonly string[]} args @returns {Step} */
const program = (name, args) => ({
  name,
  run: async () => {
    const { code, output } = await runNode(args);
    const failures = code === 0 ? [] : [name];
    return { passed: 1 - failures.length, failed: failures.length, skipped: [], failures, output };
  },
});

/** @type {readonly Step[]} */
export const staticChecks = [
  // The linter reads the types of every tsconfig.json anyway, so it reports their errors as well, faster than tsc beside it.
  program("types and lint", [programOf("oxlint"), "--type-aware", "--type-check"]),
  program("format", [programOf("oxfmt"), "--check"]),
  program("dead code", [programOf("knip"), "--cache"]),
];

export const buildStep = program("build", ["scripts/build.mjs"]);

/**
 * Tests that vitest runs.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {Readonly<Record<string, string>>} [env]
 * @returns {Step}
 */
const vitestOnce = (name, args, env) => ({
  name,
  run: async () => {
    const file = join(resultsDir, `${name.replaceAll(/\W+/g, "-")}.json`);
    mkdirSync(resultsDir, { recursive: true });
    rmSync(file, { force: true });
    const reporter = join(rootDir, "scripts", "checks", "figures-reporter.mjs");
    const { code, output } = await runNode(
      [programOf("vitest"), "run", "--reporter=default", `--reporter=${reporter}`, ...args],
      { ...env, TEST_FIGURES: file, NO_COLOR: "1" },
    );
    const figures = readFigures(file) ?? { passed: 0, failed: 1, skipped: [] };
    const failed = figures.failed || (code === 0 ? 0 : 1);
    return { ...figures, failed, failures: figures.failures ?? [`${name}: it broke off`], output };
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

/**
 * Tests that vitest runs. If at most three files fail, they run once more, alone, because real processes, sockets, and
 * windows vary on a busy machine. The report names a file that passes then, with its first failure.
 * @param {string} name
 * @param {readonly string[]} config
 * @param {readonly string[]} filters
 * @param {Readonly<Record<string, string>>} [env]
 * @returns {Step}
 */
export const vitest = (name, config, filters, env) => ({
  name,
  run: async () => {
    const first = await vitestOnce(name, [...config, ...filters], env).run();
    const { failedFiles: failed = [] } = first;
    if (failed.length === 0 || failed.length > 3) return first;
    const files = failed.map(({ file }) => file);
    const second = await vitestOnce(`${name}, once more`, [...config, ...files], env).run();
    const told = (first.failures ?? []).map((failure) => `▸ run once more, as this failed: ${failure}`);
    return {
      passed: first.passed - failed.reduce((sum, { passed }) => sum + passed, 0) + second.passed,
      failed: second.failed,
      skipped: [
        ...first.skipped.filter((test) => !files.some((file) => test.startsWith(file))),
        ...second.skipped,
      ],
      failures: second.failures ?? [],
      output: [first.output, ...told, second.output].join("\n"),
    };
  },
});

/** @type {Step} */
export const extensionSuite = {
  name: desktop
    ? `in the extension host of a desktop VS Code (${desktop})`
    : "in the extension host of a VS Code server",
  run: runExtensionSuite,
};

/** Tests that call functions, or the files that are named. @param {readonly string[]} filters */
export const unitTests = (filters) =>
  vitest("unit and contract tests", filters.length > 0 ? [] : ["--project", "unit"], filters);

/** All but the long ones, unless some are named. @param {readonly string[]} filters */
export const programTests = (filters) =>
  vitest("tests of programs", filters.length > 0 ? [] : ["--project", "programs"], filters);

/** Both, without the long ones. */
export const quickTests = vitest("unit, contract, and program tests", [], [], { TEST_TOGETHER: "1" });

/** @param {readonly string[]} files */
const without = (files) => files.flatMap((file) => ["--exclude", `**/${basename(file)}`]);

const OF_RUNNERS = ["--config", "test/runners/vitest.config.ts"];

/** Real runners, each with the hooks in it and with one test asked for. @param {readonly string[]} filters */
export const runnerMatrix = (filters) =>
  vitest(
    "real test runners",
    [...OF_RUNNERS, "--project", "runners"],
    filters.length > 0 ? filters : without(LONG_RUNNERS),
  );

/** The packed package, installed and used as a user does. @param {readonly string[]} filters */
export const installedPackage = (filters) =>
  vitest("the installed package", [...OF_RUNNERS, "--project", "installed"], filters);

/** Both side by side. */
export const runnersAndPackage = vitest(
  "real test runners and the installed package",
  OF_RUNNERS,
  without(LONG_RUNNERS),
);

/** The packed extension and the workbench in a browser: all but the long stories, unless some are named. @param {readonly string[]} filters */
export const endToEnd = (filters) =>
  vitest(
    "in the workbench",
    ["--config", "test/host/e2e/vitest.config.ts"],
    filters.length > 0 ? filters : ["test/host/e2e", ...without(LONG_STORIES)],
  );
