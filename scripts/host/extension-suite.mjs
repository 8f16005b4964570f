// The suite that runs inside the extension host: in a VS Code server through a browser, or in a desktop VS Code.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { format } from "node:util";
import { build } from "esbuild";
import { forNode } from "../bundling.mjs";
import { startUpstream } from "../../demo/upstream/server.mjs";
import { launchBrowser } from "./browser.mjs";
import { practiceKeys } from "./demo-host.mjs";
import { demoWorkspace, extensionDir, resultsDir, rootDir } from "./paths.mjs";
import { startHost, unasked, undisturbed } from "./server.mjs";

/** Stops only a suite that hangs: a busy machine takes ten times as long as a quiet one. */
const LIMIT_MS = 1_800_000;

/**
 * @typedef {object} Suite
 * @property {string} name of its folder under test/host
 * @property {readonly string[]} [folders] of the workspace, if it has several
 * @property {string} [sample] folder of the extension whose own tests run, beside Tapedeck as users have it
 * @property {readonly string[]} [beside] folders of other extensions
 * @property {Readonly<Record<string, unknown>>} [settings]
 * @property {string} [keep] folder to which the recordings are copied at the end
 */

/** An extension that asks language models, with recordings of its tests. */
const modelSample = join(rootDir, "samples", "language-models");

/** An extension with a model that answers by simple rules. */
const standInModels = join(rootDir, "test", "host", "stand-in-models");

/**
 * A long run adds the sample of an extension, whose calls `language-models.test.ts` of the first suite makes as well, and
 * two folders in one window.
 * @type {readonly Suite[]}
 */
const suites = [
  { name: "integration", beside: [standInModels] },
  ...(process.env["TEST_LONG"] === "1"
    ? [
        { name: "language-models", sample: modelSample },
        { name: "multi-root", folders: ["desk", "shop"] },
      ]
    : []),
];

/** @typedef {{ passed: number, skipped: readonly string[], failures: readonly string[] }} Counts */

/** The desktop VS Code that the environment names, if any. */
export const desktop = process.env["VSCODE_PATH"] ?? process.env["VSCODE_VERSION"];

/**
 * Compiles the suites and runs them beside each other, each in a separate VS Code.
 * @returns {Promise<import("../checks/steps.mjs").Result>}
 */
export async function runExtensionSuite() {
  const none = /** @type {readonly string[]} */ ([]);
  const totals = { passed: 0, failed: 0, skipped: [...none], failures: [...none], output: "" };
  const wanted = suites.filter(({ folders, sample }) => !desktop || (folders ?? sample) === undefined);
  for (const { name } of suites.filter((suite) => !wanted.includes(suite)))
    totals.skipped.push(`${name}: a desktop VS Code has one folder and one extension`);
  for (const { passed, failed, skipped, failures = [], output } of await Promise.all(wanted.map(runSuite))) {
    totals.passed += passed;
    totals.failed += failed;
    totals.skipped.push(...skipped);
    totals.failures.push(...failures);
    totals.output += `${output}\n`;
  }
  return totals;
}

/**
 * @param {Suite} suite
 * @returns {Promise<import("../checks/steps.mjs").Result>}
 */
async function runSuite(suite) {
  if (suite.sample === undefined) await compileSuite(suite.name);
  const resultsFile = join(resultsDir, `${suite.name}.json`);
  mkdirSync(dirname(resultsFile), { recursive: true });
  rmSync(resultsFile, { force: true });
  const upstream = await startUpstream({ delayMs: 0 });
  const upstreams = { openai: upstream.origin, anthropic: upstream.origin };
  const settings = { ...undisturbed, "tapedeck.upstreams": upstreams, ...suite.settings };
  const env = { ...practiceKeys, TEST_RESULTS: resultsFile, TEST_UPSTREAM: upstream.origin };
  /** @type {string[]} */
  const printed = [];
  try {
    const print = (/** @type {string} */ line) => printed.push(line);
    await (desktop ? inDesktop(suite, env) : inServer(suite, { settings, env, print }));
  } finally {
    await upstream.close();
  }
  const results = read(resultsFile);
  if (!results)
    return {
      passed: 0,
      failed: 1,
      skipped: [],
      failures: [`the suite ${suite.name} broke off`],
      output: `The suite ${suite.name} stopped early.\n${printed.join("\n")}`,
    };
  const { passed, skipped, failures } = results;
  const lines = failures.length > 0 ? failures : printed.filter((line) => line.startsWith("▸"));
  return { passed, failed: failures.length, skipped, failures, output: lines.join("\n\n") };
}

/** @param {string} name */
const outdirOf = (name) => join(rootDir, "dist-test", name);
/** @param {string} name */
const entryOf = (name) => join(outdirOf(name), "index.cjs");

/** Records the tests of the sample again, with a simulated provider of models. */
export async function recordLanguageModels() {
  const keep = join(modelSample, ".tapedeck");
  rmSync(keep, { recursive: true, force: true });
  // Tapedeck is on in a project that has the folder.
  mkdirSync(keep);
  const settings = { "tapedeck.mode": "record", "tapedeck.limits": { ask: false } };
  return runSuite({
    name: "language-models-recorded",
    sample: modelSample,
    beside: [standInModels],
    settings,
    keep,
  });
}

/** All suites share the entry that finds their tests beside it. @param {string} name */
export async function compileSuite(name) {
  const source = join(rootDir, "test", "host", name);
  const outdir = outdirOf(name);
  rmSync(outdir, { recursive: true, force: true });
  const names = readdirSync(source).filter((file) => file.endsWith(".test.ts"));
  await build({
    absWorkingDir: rootDir,
    entryPoints: [
      { in: join(rootDir, "test", "host", "support", "suite.ts"), out: "index" },
      ...names.map((file) => ({ in: join(source, file), out: file.replace(/\.ts$/, "") })),
    ],
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    mainFields: [...forNode.mainFields],
    external: ["vscode", "mocha"],
    sourcemap: "inline",
    logLevel: "warning",
  });
}

/** @param {string} resultsFile @returns {Counts | undefined} nothing where the suite broke off */
function read(resultsFile) {
  return existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, "utf8")) : undefined;
}

/**
 * Returns the exit code of the suite in the extension host of a VS Code server.
 * @param {Suite} suite
 * @param {{ settings: Record<string, unknown>, env: Record<string, string>, print: (line: string) => void }} options
 */
async function inServer({ name, folders, sample, beside = [], keep }, { settings, env, print }) {
  const host = await startHost({
    workspace: sample ?? demoWorkspace,
    name: "support-desk",
    ...(folders && { folders }),
    beside: sample === undefined ? beside : [extensionDir, ...beside],
    tests:
      sample === undefined
        ? { extension: extensionDir, entry: entryOf(name) }
        : { extension: ".", entry: "test/index.js" },
    without: unasked,
    settings,
    env,
    log: join(resultsDir, `${name}-server.log`),
  });
  try {
    const browser = await launchBrowser();
    try {
      const code = await exitCode(browser, host, print);
      if (keep !== undefined) cpSync(join(host.folder, ".tapedeck"), keep, { recursive: true });
      return code;
    } finally {
      await browser.close();
    }
  } finally {
    await host.close();
  }
}

/**
 * @param {import("playwright-core").Browser} browser
 * @param {import("./server.mjs").Host} host
 * @param {(line: string) => void} print
 * @returns {Promise<number>}
 */
async function exitCode(browser, host, print) {
  // The window is never visible, so it draws as little as possible.
  const page = await browser.newPage({ viewport: { width: 640, height: 480 } });
  return new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ what) => reject(new Error(`${what} The server's log: ${host.log}`));
    const timer = setTimeout(() => fail(`No result of the suite after ${LIMIT_MS / 1000} s.`), LIMIT_MS);
    timer.unref();
    browser.once("disconnected", () => fail("The browser ended before the suite did."));
    page.once("crash", () => fail("The page crashed."));
    void host.ended.then(() => fail("The VS Code server ended before the suite did."));
    (async () => {
      // The workbench calls these two functions with console lines and with the exit code of the suite.
      await page.exposeFunction(
        "codeAutomationLog",
        (/** @type {string} */ _type, /** @type {unknown[]} */ args) => print(format(...args)),
      );
      await page.exposeFunction("codeAutomationExit", (/** @type {number} */ code) => {
        clearTimeout(timer);
        resolve(code);
      });
      await page.goto(host.url);
      // The window is laid out and never drawn.
      await page.addStyleTag({ content: "body > * { content-visibility: hidden }" });
    })().catch(reject);
  });
}

/**
 * Returns the exit code in a desktop VS Code: the one at VSCODE_PATH, or the downloaded version VSCODE_VERSION.
 * @param {Suite} suite
 * @param {Record<string, string>} env
 */
async function inDesktop({ name }, env) {
  const { runTests } = await import("@vscode/test-electron");
  const path = process.env["VSCODE_PATH"];
  const version = process.env["VSCODE_VERSION"];
  try {
    return await runTests({
      ...(path ? { vscodeExecutablePath: path } : version ? { version } : {}),
      extensionDevelopmentPath: extensionDir,
      extensionTestsPath: entryOf(name),
      extensionTestsEnv: env,
      launchArgs: [
        demoWorkspace,
        "--disable-extensions",
        "--disable-workspace-trust",
        "--skip-welcome",
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ],
    });
  } catch (error) {
    console.error(error);
    return 1;
  }
}
