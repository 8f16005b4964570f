import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { coverageTable } from "../../test/client/coverage.ts";
import { rootDir } from "../host/paths.mjs";

/** @typedef {import("vitest/node").Reporter} Reporter */

/**
 * A vitest reporter that writes the table of requirements, each with the tests that name it, to test/client/coverage.md.
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
    const { markdown, proved, total, unknown } = coverageTable(proofs);
    const file = join(rootDir, "test", "client", "coverage.md");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, markdown);
    console.log(`▸ requirements of the mock client core: ${proved} of ${total} proved`);
    if (unknown.length > 0) {
      console.error(`Titles name requirements that do not exist: ${unknown.join(", ")}`);
      process.exitCode = 1;
    }
  }
}
