const path = require("node:path");
const { writeFileSync } = require("node:fs");
const Mocha = require("mocha");
const vscode = require("vscode");

/** The entry that VS Code calls in its extension host. */
exports.run = async () => {
  const tapedeck = await vscode.extensions.getExtension("tapedeck.llm-tapedeck").activate();
  const mocha = new Mocha({ ui: "bdd", timeout: 60_000 });
  // Recordings and misses then belong to their tests.
  mocha.rootHooks(tapedeck.mochaHooks);
  mocha.addFile(path.join(__dirname, "release-notes.test.js"));
  const counts = { passed: 0, skipped: [], failures: [] };
  await new Promise((resolve) => {
    const runner = mocha.run(resolve);
    runner.on("pass", () => (counts.passed += 1));
    runner.on("fail", (test, error) => counts.failures.push(`${test.fullTitle()}\n${error.stack}`));
  });
  if (process.env.TEST_RESULTS) writeFileSync(process.env.TEST_RESULTS, JSON.stringify(counts));
  if (counts.failures.length > 0) throw new Error(counts.failures.join("\n\n"));
};
