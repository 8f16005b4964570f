import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { rootDir } from "../host/paths.mjs";

/** @typedef {import("vitest/node").Reporter} Reporter */
/** @typedef {{ file: string, passed: number }} FailedFile with how many of its tests passed all the same */
/**
 * @typedef {object} Figures
 * @property {number} passed
 * @property {number} failed
 * @property {readonly string[]} skipped
 * @property {readonly FailedFile[]} [failedFiles]
 * @property {readonly string[]} [failures] what failed, each with its file, its title and the beginning of its error
 */

/**
 * A vitest reporter that writes the figures to the file TEST_FIGURES names: what was skipped with its reason, what
 * failed and in which files, and a file or suite that broke before its tests as one failure.
 * @implements {Reporter}
 */
export default class FiguresReporter {
  /**
   * @param {readonly import("vitest/node").TestModule[]} modules
   * @param {readonly unknown[]} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const of = (/** @type {string} */ state) => tests.filter((test) => test.result().state === state);
    const broken = suites.filter((suite) => suite.errors().length > 0);
    const figures = {
      passed: of("passed").length,
      failed: of("failed").length + broken.length + unhandled.length,
      skipped: [...of("skipped"), ...of("pending")].map((test) => {
        const result = test.result();
        const note = result.state === "skipped" && result.note ? ` (${result.note})` : "";
        return `${titleOf(test)}${note}`;
      }),
      failures: [
        ...of("failed").map((test) => `${titleOf(test)}${errorsOf(test.result().errors)}`),
        ...broken.map((suite) => `${titleOf(suite)}${errorsOf(suite.errors())}`),
        ...unhandled.map((error) => `outside any test${errorsOf([error])}`),
      ],
      failedFiles: modules
        .filter((module) => module.state() === "failed")
        .map((module) => ({
          file: relative(rootDir, module.moduleId),
          passed: [...module.children.allTests("passed")].length,
        })),
    };
    writeFileSync(process.env["TEST_FIGURES"] ?? "figures.json", JSON.stringify(figures));
  }
}

/** @param {import("vitest/node").TestCase | import("vitest/node").TestSuite | import("vitest/node").TestModule} what */
function titleOf(what) {
  if (what.type === "module") return relative(rootDir, what.moduleId);
  return `${relative(rootDir, what.module.moduleId)} > ${what.fullName}`;
}

/** The first lines of each error, indented. @param {readonly unknown[] | undefined} errors */
const errorsOf = (errors = []) =>
  errors
    .flatMap((error) =>
      String(/** @type {{ message?: unknown }} */ (error)?.message ?? error)
        .split("\n")
        .slice(0, 12),
    )
    .map((line) => `\n      ${line.slice(0, 400)}`)
    .join("");
