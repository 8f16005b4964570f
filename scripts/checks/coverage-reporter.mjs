import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { rootDir } from "../host/paths.mjs";
import { fillIn } from "./coverage-table.mjs";

/** @typedef {import("vitest/node").Reporter} Reporter */

/**
 * A vitest reporter that writes the tests that name each requirement into the table of test/client/coverage.md.
 * @implements {Reporter}
 */
export default class CoverageReporter {
  /** @param {readonly import("vitest/node").TestModule[]} modules */
  onTestRunEnd(modules) {
    const proofs = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => {
        const { state } = test.result();
        const file = relative(rootDir, module.moduleId).replaceAll("\\", "/");
        return {
          file,
          title: test.name,
          state: state === "pending" ? /** @type {const} */ ("skipped") : state,
        };
      }),
    );
    const file = join(rootDir, "test", "client", "coverage.md");
    const { markdown, figures, unknown } = fillIn(readFileSync(file, "utf8"), proofs);
    writeFileSync(file, markdown);
    console.log(`▸ requirements of the mock client core: ${figures} proved`);
    if (unknown.length > 0) {
      console.error(`Titles name requirements that do not exist: ${unknown.join(", ")}`);
      process.exitCode = 1;
    }
  }
}
