import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../fixtures/runners/project.ts";
import { anEcho } from "../support/an-echo.ts";
import { aPackedPackage } from "../support/packed-package.ts";
import { generations } from "./support/generations.ts";
import { aTemporaryProject, packagesOf } from "./support/scene.ts";
import { nameOf } from "./support/scene.ts";
import type { Generation } from "./support/installed.ts";

let packed: ReturnType<typeof aPackedPackage>;
beforeAll(() => (packed = aPackedPackage()));
afterAll(() => packed.remove());

/** A file of tests as a user writes it: one records, one fails after recording. */
const RECORD = `
test("keeps", async ({ tapedeck }) => {
  if ((await ask(tapedeck, "one")) !== "About one") throw new Error("wrong");
});
test("loses", async ({ tapedeck }) => {
  await ask(tapedeck, "two");
  throw new Error("on purpose");
});
`;
/** The first is answered by what was kept; the second misses, and does not even look. */
const STRICT = `
test("replays", async ({ tapedeck }) => {
  if ((await ask(tapedeck, "one")) !== "About one") throw new Error("wrong");
});
test("misses", async ({ tapedeck }) => void (await ask(tapedeck, "three")));
`;

const USES = `
const test = tapedeckTest({ upstreams: { openai: process.env.ECHO } });
const ask = async ({ fetch }, content) => {
  const reply = await fetch("https://api.openai.com/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
  });
  const { choices } = await reply.json();
  return choices?.[0].message.content;
};
`;
const ES_MODULE = (runner: string): string => `
import { tapedeckTest } from "llm-tapedeck/${runner}";
${USES}`;
const COMMON_JS = `
const { tapedeckTest } = require("llm-tapedeck/jest");
${USES}`;

interface Runner {
  readonly helper: string;
  readonly extension: "mjs" | "cjs";
  readonly packages: Readonly<Record<string, string>>;
  readonly args: (dir: string, file: string) => readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

const vitest = (generation: Generation): Runner => ({
  helper: "vitest",
  extension: "mjs",
  packages: packagesOf(generation, ["vitest"]),
  args: (dir, file) => [join(dir, "node_modules/vitest/vitest.mjs"), "run", file],
  files: { "vitest.config.mjs": "export default { test: { include: ['*.test.mjs'] } };" },
});
const jest = (generation: Generation): Runner => ({
  helper: "jest",
  extension: "cjs",
  packages: packagesOf(generation, ["jest"]),
  args: (dir, file) => [join(dir, "node_modules/jest/bin/jest.js"), file],
  files: { "jest.config.cjs": "module.exports = { testMatch: ['**/*.test.cjs'], watchman: false };" },
});
const node = (): Runner => ({
  helper: "node-test",
  extension: "mjs",
  packages: {},
  args: (_dir, file) => ["--test", file],
});

test.each(
  generations([
    ["vitest, current", () => vitest("current"), () => nameOf("current", "vitest", "4.")],
    ["vitest, previous", () => vitest("previous"), () => nameOf("previous", "vitest", "3.")],
    ["jest, current", () => jest("current"), () => nameOf("current", "jest", "30.")],
    ["jest, previous", () => jest("previous"), () => nameOf("previous", "jest", "29.")],
    ["node:test", node, () => `node:test ${process.version}`],
  ] as const),
)(
  "the published helper in %s keeps what a passed test recorded, loses what a failed one did, and fails a miss with its text",
  async (_, of, name) => {
    const runner = of();
    const project = aProjectWith(runner);

    const echo = await anEcho();
    const recording = await project.run("record", "record", echo);
    const kept = project.recordings();
    const strict = await project.run("strict", "strict", echo);

    console.log(`▸ helper in ${name()}: 1 of 2 recordings kept, a miss reported`);
    expect(recording.output).toContain("on purpose");
    expect(recording.code).toBe(1);
    expect(kept).toBe(1);
    expect(strict.output).toContain("No recording for this");
    expect(strict.output).not.toContain("wrong");
    expect(strict.code).toBe(1);
  },
);

function aProjectWith({ helper, extension, packages, args, files }: Runner) {
  const head = extension === "cjs" ? COMMON_JS : ES_MODULE(helper);
  const project = aTemporaryProject(
    {
      "package.json": "{}",
      [`record.test.${extension}`]: head + RECORD,
      [`strict.test.${extension}`]: head + STRICT,
      ...files,
    },
    packages,
  );
  const { dir } = project;
  cpSync(packed.dir, join(dir, "node_modules", "llm-tapedeck"), { recursive: true });
  return {
    run: (name: string, mode: string, echo: string) =>
      run(
        { command: process.execPath, args: args(dir, `${name}.test.${extension}`), cwd: dir },
        { TAPEDECK_MODE: mode, NO_COLOR: "1", ECHO: echo },
      ),
    recordings(): number {
      const folder = join(dir, ".tapedeck", "calls");
      if (!existsSync(folder)) return 0;
      return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((one) => one.endsWith(".json"))
        .length;
    },
  };
}
