import { readFileSync, rmSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { resultsDir } from "../host/paths.mjs";
import { programOf, runNode } from "./run.mjs";

/** @typedef {import("./protections.mjs").Protection} Protection */
/** @typedef {{ numTotalTests: number, testResults: readonly { assertionResults: readonly { status: string, fullName: string }[] }[] }} Report */

/** Milliseconds for a test to end after its own time limit, if it waits for an event that never occurs. */
const PATIENCE_MS = 180_000;

/**
 * Runs the tests of a protection without it. A file that cannot be loaded is not counted as a failure, because then the
 * replacement itself is wrong.
 * @param {Protection} protection
 * @returns {Promise<{ cases: number, failures: readonly string[], note?: string }>}
 */
export async function testsWithout(protection) {
  const { tests, named } = protection;
  const begun = Date.now();
  const report = join(resultsDir, "without.json");
  mkdirSync(resultsDir, { recursive: true });
  rmSync(report, { force: true });
  const { output } = await runNode(
    [
      programOf("vitest"),
      "run",
      "--reporter=json",
      `--outputFile=${report}`,
      ...(named === undefined ? [] : ["-t", named]),
      ...tests,
    ],
    { TAPEDECK_WITHOUT: JSON.stringify(protection), TEST_LONG: "1", NO_COLOR: "1" },
    { timeout: PATIENCE_MS },
  );
  if (Date.now() - begun >= PATIENCE_MS) return { cases: 1, failures: ["its tests do not end any more"] };
  const found = readReport(report);
  const results = found?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  const ran = results.filter(({ status }) => status === "passed" || status === "failed");
  const failures = ran.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
  const broke = ran.length === 0 ? { note: output.trim().split("\n").slice(-12).join("\n    ") } : {};
  return { cases: ran.length, failures, ...broke };
}

/** @param {string} path @returns {Report | undefined} */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
