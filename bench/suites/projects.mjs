// Writes a project for each language with the suite's tests, like a user's: test files, and installed packages.
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { planCalls, SENTENCES } from "./calls.mjs";
import { answer, answerText } from "./provider.mjs";

const here = import.meta.dirname;
const packages = join(here, "node_modules");
const KINDS = ["chat", "chatStream", "responses", "claude", "claudeStream"];

/**
 * @typedef {object} Size of a suite
 * @property {number} files
 * @property {number} tests in each file
 */

/**
 * Writes a project whose tests run by vitest.
 * @param {string} dir
 * @param {Size} size
 * @param {readonly string[]} listed packages that its package.json lists beside the SDKs
 */
export function writeVitestProject(dir, size, listed = []) {
  const plan = planCalls([...KINDS, "aiText", "aiStream"], size);
  mkdirSync(join(dir, "tests"), { recursive: true });
  cpSync(join(here, "vitest", "vitest.config.mjs"), join(dir, "vitest.config.mjs"));
  cpSync(join(here, "vitest", "clients.mjs"), join(dir, "tests", "clients.mjs"));
  plan.forEach((tests, file) => {
    const blocks = tests.map((calls, index) => {
      const lines = calls.map(
        ({ id, kind }) => `  expect(await ask(clients, "${kind}", ${id})).toMatch(/^Answer ${id}:/);`,
      );
      return [`test("part ${file} question ${index}", async ({ clients }) => {`, ...lines, "});", ""].join(
        "\n",
      );
    });
    const imports = 'import { expect } from "vitest";\nimport { ask, test } from "./clients.mjs";\n\n';
    writeFileSync(join(dir, "tests", `part-${file}.test.mjs`), imports + blocks.join("\n"));
  });
  writePlan(dir, plan);
  const manifest = {
    name: "suite",
    private: true,
    type: "module",
    devDependencies: Object.fromEntries(["openai", "vitest", ...listed].map((name) => [name, "*"])),
  };
  writeFileSync(join(dir, "package.json"), JSON.stringify(manifest));
  linkPackages(dir);
}

/** @param {string} dir @param {Size} size */
export function writePytestProject(dir, size) {
  const plan = planCalls(KINDS, size);
  mkdirSync(join(dir, "tests"), { recursive: true });
  cpSync(join(here, "pytest", "pytest.ini"), join(dir, "pytest.ini"));
  for (const name of ["asking.py", "conftest.py"])
    cpSync(join(here, "pytest", name), join(dir, "tests", name));
  plan.forEach((tests, file) => {
    const blocks = tests.map((calls, index) => {
      const isAsync = index % 4 === 3;
      const [given, asks] = isAsync ? ["async_clients", "await ask_async"] : ["clients", "ask"];
      const lines = calls.map(
        ({ id, kind }) => `    assert (${asks}(${given}, "${kind}", ${id})).startswith("Answer ${id}:")`,
      );
      return `${isAsync ? "async " : ""}def test_part_${file}_question_${index}(${given}):\n${lines.join("\n")}\n`;
    });
    const imports = "import pytest\nfrom asking import ask, ask_async\n\npytestmark = pytest.mark.vcr\n\n\n";
    writeFileSync(join(dir, "tests", `test_part_${file}.py`), imports + blocks.join("\n\n"));
  });
  writePlan(join(dir, "tests"), plan);
  writeFileSync(join(dir, "tests", "answers.json"), JSON.stringify(answersOf(plan)));
}

/** Fixtures of aimock for the suite: the answer by the id in the user's message. @param {string} path */
export function writeAimockFixtures(path, size) {
  const ids = new Set(
    planCalls([...KINDS, "aiText", "aiStream"], size)
      .flat(2)
      .map(({ id }) => id),
  );
  const fixtures = [...ids].map((id) => ({
    match: { userMessage: `[#${id}]` },
    response: { content: answerText(id) },
    chunkSize: 8,
  }));
  writeFileSync(path, JSON.stringify({ fixtures }));
}

/** Number of calls and tests of a suite. @param {Size} size */
export function countCalls(size, isPython = false) {
  const plan = planCalls(isPython ? KINDS : [...KINDS, "aiText", "aiStream"], size);
  return { calls: plan.flat(2).length, tests: plan.flat().length };
}

function writePlan(dir, plan) {
  const calls = Object.fromEntries(plan.flat(2).map((call) => [call.id, call]));
  writeFileSync(join(dir, "plan.json"), JSON.stringify({ calls, sentences: SENTENCES }));
}

function answersOf(plan) {
  const entries = plan.flat(2).flatMap(({ id }) =>
    ["/v1/chat/completions", "/v1/responses", "/v1/messages"].flatMap((path) =>
      [false, true].map((stream) => {
        const { type, parts } = answer(path, JSON.stringify({ text: `[#${id}]`, stream }));
        return [`${path} ${id} ${stream}`, [type, parts.join("")]];
      }),
    ),
  );
  return Object.fromEntries(entries);
}

/** The installed packages, with Tapedeck as it was built. */
function linkPackages(dir) {
  const target = join(dir, "node_modules");
  mkdirSync(target);
  for (const name of readdirSync(packages))
    if (name !== ".venv" && name !== ".vite") symlinkSync(join(packages, name), join(target, name));
  symlinkSync(join(here, "..", ".."), join(target, "llm-tapedeck"));
}
