// npm test [-- static|unit|runners|host|e2e|installed [FILTER…]]: everything, or a part of it. A step that passes prints one line, a
// step that fails its output; the last line has the figures. Lines of tests that begin with "▸" are always shown.
import { runNode, stopAll } from "./checks/run.mjs";
import {
  buildStep,
  endToEnd,
  extensionSuite,
  installedPackage,
  programTests,
  quickTests,
  runnerMatrix,
  runnersAndPackage,
  staticChecks,
  unitTests,
} from "./checks/steps.mjs";

const parts = ["static", "unit", "programs", "runners", "host", "e2e", "installed"];
const [part, ...filters] = process.argv.slice(2);
if (part !== undefined && !parts.includes(part)) {
  console.error(`There is no part "${part}". The parts are ${parts.join(", ")}.`);
  process.exit(2);
}
const wants = (/** @type {string} */ name) => part === undefined || part === name;
const totals = {
  passed: 0,
  failed: 0,
  skipped: /** @type {string[]} */ ([]),
  failures: /** @type {string[]} */ ([]),
};

for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.once(signal, () => {
    stopAll();
    process.exit(1);
  });
}

// Installing mostly waits for the network, so it runs beside the steps that need no host.
const needsHost = ["host", "e2e"].some(wants);
const host = needsHost ? runNode(["scripts/install-host.mjs"]) : undefined;
const browser = needsHost ? runNode(["scripts/install-browser.mjs"]) : undefined;
const runners = ["runners", "installed"].some(wants) ? runNode(["scripts/install-runners.mjs"]) : undefined;
const hostAndBrowser = { "the VS Code host": host, "a browser": browser };
await report(buildStep);
// Tests in the extension host and in test runners wait as much as they compute: side by side they use two cores.
// Stories in the workbench run after them, because clicks need a responsive machine.
await Promise.all([
  inTurn([
    ...(wants("static") ? staticChecks : []),
    ...(part === undefined ? [quickTests] : []),
    ...(part === "unit" ? [unitTests(filters)] : []),
    ...(part === "programs" ? [programTests(filters)] : []),
  ]),
  inTurn([
    ...(wants("host") ? [afterInstalling(extensionSuite, hostAndBrowser)] : []),
    ...(part === undefined ? [afterInstalling(runnersAndPackage, { "the test runners": runners })] : []),
    ...(part === "installed"
      ? [afterInstalling(installedPackage(filters), { "the test runners": runners })]
      : []),
    ...(part === "runners" ? [afterInstalling(runnerMatrix(filters), { "the test runners": runners })] : []),
  ]),
]);
if (wants("e2e")) await report(afterInstalling(endToEnd(filters), hostAndBrowser));

// Failures are repeated at the end, because often only the last lines of a long log are kept.
if (totals.failures.length > 0)
  console.log(`\nFailed:\n${totals.failures.map((line) => `  - ${line}`).join("\n")}`);
if (totals.skipped.length > 0) console.log(`\nSkipped:\n${skippedLines(totals.skipped).join("\n")}`);
const left = totals.skipped.length > 0 ? `, ${totals.skipped.length} skipped` : "";
console.log(`\n${totals.passed} passed, ${totals.failed} failed${left}`);
process.exit(totals.failed > 0 || totals.passed === 0 ? 1 : 0);

/** @param {import("./checks/steps.mjs").Step} step */
async function report({ name, run }) {
  const begun = Date.now();
  const { passed, failed, skipped, failures, output } = await run().catch((/** @type {unknown} */ error) => ({
    passed: 0,
    failed: 1,
    skipped: [],
    failures: [`${name}: ${String(error)}`],
    output: error instanceof Error ? (error.stack ?? error.message) : String(error),
  }));
  totals.passed += passed;
  totals.failed += failed;
  totals.skipped.push(...skipped);
  if (failed > 0) totals.failures.push(...(failures ?? [`${name}: see above`]));
  const figures = passed + failed > 1 ? `: ${passed} passed${failed > 0 ? `, ${failed} failed` : ""}` : "";
  console.log(`${failed > 0 ? "✘" : "✔"} ${name}${figures} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  if (failed > 0) console.log(`${output.trimEnd()}\n`);
  else for (const [line] of output.matchAll(/^\s*▸ .*$/gm)) console.log(`    ${line.trim()}`);
}

/** @param {readonly import("./checks/steps.mjs").Step[]} steps */
async function inTurn(steps) {
  for (const step of steps) await report(step);
}

/**
 * Returns a step that first waits for its installations.
 * @param {import("./checks/steps.mjs").Step} step
 * @param {Readonly<Record<string, Promise<import("./checks/run.mjs").Ended> | undefined>>} needs by the name of the installation
 */
function afterInstalling(step, needs) {
  return {
    ...step,
    run: async () => {
      for (const [what, installing] of Object.entries(needs)) await installed(installing, what);
      return step.run();
    },
  };
}

/** @param {Promise<import("./checks/run.mjs").Ended> | undefined} installing @param {string} what */
async function installed(installing, what) {
  const ended = await installing;
  if (!ended || ended.code === 0) return;
  console.log(
    `✘ installing ${what}\n${ended.output}\n\n${totals.passed} passed, ${totals.failed + 1} failed`,
  );
  stopAll();
  process.exit(1);
}

/** A line for a test, or for several tests of a file with the same reason in their titles. @param {readonly string[]} titles */
function skippedLines(titles) {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const title of titles) {
    const [reason] = /\([^()]+\)(?=$| > )/u.exec(title) ?? [];
    const group = reason === undefined ? title : `${title.split(" > ", 1)[0]} ${reason}`;
    groups.set(group, [...(groups.get(group) ?? []), title]);
  }
  return [...groups].map(([group, of]) =>
    of.length === 1 ? `  - ${of[0]}` : `  - ${of.length} tests of ${group}`,
  );
}
