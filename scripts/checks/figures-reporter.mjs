import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { rootDir } from "../host/paths.mjs";

/** @typedef {import("vitest/node").Reporter} Reporter */
/** @typedef {{ file: string, passed: number }} FailedFile with how many of its tests passed all the same */
/** @typedef {{ passed: number, failed: number, skipped: readonly string[], failedFiles?: readonly FailedFile[] }} Figures */

/**
 * A vitest reporter that writes the figures to the file TEST_FIGURES names: what was skipped with its reason, the
 * files in which something failed, and a file or suite that broke before its tests as one failure.
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
    const figures = {
      passed: of("passed").length,
      failed:
        of("failed").length + suites.filter((suite) => suite.errors().length > 0).length + unhandled.length,
      skipped: [...of("skipped"), ...of("pending")].map((test) => {
        const result = test.result();
        const note = result.state === "skipped" && result.note ? ` (${result.note})` : "";
        return `${relative(rootDir, test.module.moduleId)} > ${test.fullName}${note}`;
      }),
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
