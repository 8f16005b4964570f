import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Mocha from "mocha";

/**
 * The entry that VS Code calls in its extension host. The figures go to the file TEST_RESULTS names; it rejects where
 * a test failed or none ran.
 */
export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: "bdd", timeout: 180_000, color: false, reporter: Mocha.reporters.Base });
  for (const name of readdirSync(__dirname).sort()) {
    if (name.endsWith(".test.cjs")) mocha.addFile(join(__dirname, name));
  }
  const counts = { passed: 0, skipped: [] as string[], failures: [] as string[] };
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve());
    runner.on("pass", () => counts.passed++);
    runner.on("fail", (test, error: Error) =>
      counts.failures.push(`${test.fullTitle()}\n${error.stack ?? String(error)}`),
    );
    runner.on("pending", (test) => counts.skipped.push(test.fullTitle()));
  });
  // Through a file, because the console of the workbench may lose its last lines.
  const file = process.env["TEST_RESULTS"];
  if (file) writeFileSync(file, JSON.stringify(counts));
  if (counts.failures.length > 0 || counts.passed === 0) {
    throw new Error(`${counts.failures.length} failed, ${counts.passed} passed`);
  }
}
