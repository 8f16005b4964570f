import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** A file of tests as a user writes it: one records, one fails after recording, one misses. */
const TESTS = `
const ask = async (client, text) => (await client.complete({ messages: [user(text)] })).message.parts[0].text;

test("keeps", async ({ tapedeck }) => {
  if ((await ask(tapedeck.client(scriptedClient(["kept"])), "one")) !== "kept") throw new Error("wrong");
});
test("loses", async ({ tapedeck }) => {
  await ask(tapedeck.client(scriptedClient(["lost"])), "two");
  throw new Error("on purpose");
});
`;
const MISSES = `
test("misses", async ({ tapedeck }) => {
  await tapedeck.client(scriptedClient(["never"])).complete({ messages: [user("three")] }).catch(() => {});
});
`;

test("vitest: a passed test keeps, a failed one loses, and a miss fails with its text", async () => {
  const project = await aProject("vitest");
  const vitest = join(root, "node_modules/vitest/vitest.mjs");

  const recording = project.run([vitest, "run", "record.test.mjs"], "record");
  const kept = project.recordings();
  const strict = project.run([vitest, "run", "strict.test.mjs"], "strict");

  expect(recording.output).toMatch(/1 failed.*1 passed/);
  expect(recording.output).toContain("on purpose");
  expect(kept).toBe(1);
  expect(strict.output).toContain("No recording for this");
  expect(strict.status).toBe(1);
}, 60_000);

test("node:test: a passed test keeps, a failed one loses, and a miss fails with its text", async () => {
  const project = await aProject("node-test");

  const recording = project.run(["--test", "record.test.mjs"], "record");
  const kept = project.recordings();
  const strict = project.run(["--test", "strict.test.mjs"], "strict");

  expect(recording.output).toMatch(/pass 1\b[\s\S]*fail 1\b/);
  expect(recording.output).toContain("on purpose");
  expect(kept).toBe(1);
  expect(strict.output).toContain("No recording for this");
}, 60_000);

const jest = process.env["TAPEDECK_JEST"];

test.skipIf(jest === undefined)(
  "jest: a passed test keeps, a failed one loses, and a miss fails with its text (skipped: TAPEDECK_JEST names no jest)",
  async () => {
    const project = await aProject("jest");

    const recording = project.run([jest ?? "", "--rootDir", ".", "record.test.cjs"], "record");
    const kept = project.recordings();
    const strict = project.run([jest ?? "", "--rootDir", ".", "strict.test.cjs"], "strict");

    expect(recording.output).toMatch(/1 failed, 1 passed/);
    expect(kept).toBe(1);
    expect(strict.output).toContain("No recording for this");
  },
);

/** A project with the helper of a runner as it is bundled, inside this one so that its libraries are found. */
async function aProject(runner: "vitest" | "node-test" | "jest") {
  const dir = join(root, "test", `.project-${runner}-${process.pid}`);
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(dir);
  const isJest = runner === "jest";
  const helper = isJest ? "helper.cjs" : "helper.mjs";
  const names = "test, user, scriptedClient";
  await build({
    stdin: {
      contents: [
        `export { test } from "./src/testing/${runner}.ts";`,
        'export { user } from "./src/client/message.ts";',
        'export { scriptedClient } from "./src/client/mock/scripted-client.ts";',
      ].join("\n"),
      resolveDir: root,
      loader: "ts",
    },
    outfile: join(dir, helper),
    bundle: true,
    platform: "node",
    format: isJest ? "cjs" : "esm",
    mainFields: ["module", "main"],
    external: ["vitest"],
    logLevel: "error",
  });
  const taking = isJest
    ? `const { ${names} } = require("./${helper}");`
    : `import { ${names} } from "./${helper}";`;
  const extension = isJest ? "cjs" : "mjs";
  writeFileSync(join(dir, `record.test.${extension}`), taking + TESTS);
  writeFileSync(join(dir, `strict.test.${extension}`), taking + MISSES);
  if (runner === "vitest")
    writeFileSync(join(dir, "vitest.config.mjs"), "export default { test: { include: ['*.test.mjs'] } };");
  if (isJest)
    writeFileSync(
      join(dir, "jest.config.cjs"),
      "module.exports = { testMatch: ['**/*.test.cjs'], watchman: false };",
    );
  return {
    run(args: readonly string[], mode: string): { readonly status: number | null; readonly output: string } {
      const { NODE_OPTIONS: _, VITEST: _vitest, NODE_TEST_CONTEXT: _context, ...env } = process.env;
      const given = { ...env, TAPEDECK_MODE: mode, NO_COLOR: "1" };
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd: dir,
        env: given,
        encoding: "utf8",
      });
      return { status, output: stdout + stderr };
    },
    recordings(): number {
      const folder = join(dir, ".tapedeck", "calls");
      if (!existsSync(folder)) return 0;
      return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
        name.endsWith(".json"),
      ).length;
    },
  };
}
