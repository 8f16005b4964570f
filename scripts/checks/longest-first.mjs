import { BaseSequencer } from "vitest/node";

/** The slowest files. Without results of earlier runs, vitest orders files by size. */
const LONGEST = [
  "test/torture/torture.test.ts",
  "test/python/wheel.test.ts",
  "test/hooks/guard.test.ts",
  "test/hooks/guard-python.test.ts",
  "test/bundles.test.ts",
  "test/packaging.test.ts",
  "test/contract/recorded-traffic.test.ts",
  "test/server/under-attack.test.ts",
  "test/server/who-stays.test.ts",
  "test/cli/no-network.test.ts",
  "test/cli/process.test.ts",
  "test/cli/report/run-report.test.ts",
  "test/client/bundle.test.ts",
  "test/client/docs.test.ts",
  "test/client/loading.test.ts",
  "test/core/secrets/long-texts.test.ts",
];

/** If one of them started last, the run would wait for it with idle cores. */
export class LongestFirst extends BaseSequencer {
  /** @override @param {import("vitest/node").TestSpecification[]} specs */
  async sort(specs) {
    const sorted = await super.sort(specs);
    const isLong = (/** @type {import("vitest/node").TestSpecification} */ { moduleId }) =>
      LONGEST.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isLong), ...sorted.filter((spec) => !isLong(spec))];
  }
}
