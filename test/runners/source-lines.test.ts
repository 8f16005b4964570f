import { expect, test } from "vitest";
import { callsOf } from "./support/attribution.ts";
import { generations } from "./support/generations.ts";
import { aTemporaryProject, nameOf, packagesOf } from "./support/scene.ts";

/** Types that a compiler removes are above and between the calls, so that every line changes in its output. */
const TYPES = `interface Question {
  readonly a: string;
}
type Several =
  | "one"
  | "two";
`;

const HELPER = `import OpenAI from "openai";
${TYPES}
const openai = new OpenAI({ apiKey: "none", baseURL: process.env.SERVER_URL + "/openai/v1", maxRetries: 0 });

export async function ask(value: Question | Several): Promise<void> {
  const content: string = JSON.stringify({ value });
  await openai.chat.completions.create({ model: "m", messages: [{ role: "user", content }] });
}
`;
const HELPER_LINE = lineOf(HELPER, "await openai");

const source = (imports: string): string =>
  `${imports}
import { ask } from "./support/llm";
${TYPES}
const one: Several = "one";
describe("typed", () => {
  ${TYPES.replaceAll("\n", "\n  ")}
  it("plain", async (): Promise<void> => {
    type Inner = {
      readonly deep: Several;
    };
    const inner: Inner = { deep: one };
    await ask(inner.deep);
  });
  const again = async <T extends Several>(
    value: T,
  ): Promise<void> => {
    await ask(value);
  };
  it("by a helper in its file", async () => {
    await again(one satisfies Several);
  });
});
`;

function lineOf(text: string, words: string): number {
  return text.split("\n").findIndex((line) => line.includes(words)) + 1;
}

interface Typed {
  readonly name: string;
  readonly imports: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** Of the installed runner's package, from the project's folder. */
  readonly entry?: string;
  readonly args: readonly string[];
}

const SWC = 'module.exports = { transform: { "\\\\.ts$": "@swc/jest" }, testEnvironment: "node" };';
const swc = packagesOf("current", ["@swc/jest", "@swc/core"]);
const tsx = packagesOf("current", ["tsx"]);

const vitest = (generation: "current" | "previous", major: string): Typed => ({
  name: nameOf(generation, "vitest", major),
  imports: 'import { describe, it } from "vitest";',
  packages: packagesOf(generation, ["vitest"]),
  entry: "node_modules/vitest/vitest.mjs",
  args: ["run"],
});
const jest = (generation: "current" | "previous", major: string): Typed => ({
  name: `${nameOf(generation, "jest", major)} by swc`,
  imports: 'import { describe, it } from "@jest/globals";',
  packages: { ...packagesOf(generation, ["jest", "@jest/globals"]), ...swc },
  files: { "jest.config.js": SWC },
  entry: "node_modules/jest/bin/jest.js",
  args: [],
});
const mocha = (generation: "current" | "previous", major: string): Typed => ({
  name: `${nameOf(generation, "mocha", major)} by tsx`,
  imports: 'import { describe, it } from "mocha";',
  packages: { ...packagesOf(generation, ["mocha"]), ...tsx },
  entry: "node_modules/mocha/bin/mocha.js",
  args: ["--require", "tsx", "a.test.ts"],
});
const node = (): Typed => ({
  name: `node:test ${process.versions.node} by tsx`,
  imports: 'import { describe, it } from "node:test";',
  packages: tsx,
  args: ["--import", "tsx", "--test", "a.test.ts"],
});
const playwright = (): Typed => ({
  name: nameOf("current", "@playwright/test", "1."),
  imports: 'import { test as it } from "@playwright/test";\nconst { describe } = it;',
  packages: packagesOf("current", ["@playwright/test"]),
  files: { "playwright.config.js": 'module.exports = { testDir: ".", reporter: "line" };' },
  entry: "node_modules/@playwright/test/cli.js",
  args: ["test"],
});

test.each(
  generations([
    ["vitest, current", () => vitest("current", "4.")],
    ["vitest, previous", () => vitest("previous", "3.")],
    ["jest, previous", () => jest("previous", "29.")],
    ["mocha, previous", () => mocha("previous", "11.")],
    ["node:test", node],
    ["jest, current", () => jest("current", "30.")],
    ["mocha, current", () => mocha("current", "12.")],
    ["Playwright", playwright],
  ] as const),
)("%s: calls in TypeScript have the lines of the source, in test and helper", async (_, of) => {
  const { name, imports, packages, files, entry, args } = of();
  const text = source(imports);
  const project = aTemporaryProject(
    { "package.json": "{}", "support/llm.ts": HELPER, "a.test.ts": text, ...files },
    { ...packagesOf("current", ["openai"]), ...packages },
  );

  const calls = await callsOf({
    project,
    command: process.execPath,
    args: [...(entry === undefined ? [] : [project.path(entry)]), ...args],
  });

  const told = calls.map(({ header }) => header);
  const at = { file: project.path("support/llm.ts"), line: HELPER_LINE };
  const lines = [lineOf(text, "ask(inner.deep)"), lineOf(text, "await again(")];
  expect(told.map((one) => Number(one["line"])).sort((a, b) => a - b)).toEqual(lines);
  expect(told.map((one) => one["at"])).toEqual([at, at]);
  expect(calls.every(({ hasLine }) => hasLine)).toBe(true);
  console.log(`▸ ${name}: lines ${lines.join(" and ")} of the source, not of the output`);
});
