import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isTapedeckError } from "../../src/core/base/errors.ts";
import { type TestRunner, splitCommandWords } from "../../src/test-discovery/test-runner.ts";
import { type TestFinder, createTestFinder } from "../../src/test-discovery/find-tests.ts";
import type { FoundTest } from "../../src/test-discovery/found-test.ts";
import { createCommandForTest, createCommandFromSetting } from "../../src/test-discovery/run-one.ts";
import { hostileJavaScript } from "../fixtures/runners/hostile-tests.ts";
import { grammarsDir } from "./finder.ts";

let finder: TestFinder;
let hostile: FoundTest;
let suite: FoundTest;
let loop: FoundTest;
beforeAll(async () => {
  finder = await createTestFinder({ grammarsDir });
  const tests = (await finder.findTests(hostileJavaScript("//"), "javascript")).tests;
  const at = (part: string): FoundTest => tests.find(({ title }) => title.startsWith(part))!;
  [hostile, suite, loop] = [at("it's"), at("in.ner $x ^ | y* twin"), at("loop")];
});
afterAll(() => finder.dispose());

const runner = (of: Partial<TestRunner>): TestRunner => ({
  runner: "jest",
  cwd: "/w",
  command: "node",
  commandFlags: [],
  runnerFlags: [],
  ...of,
});
const workspace = { workspaceFolder: "/w", file: "/w/sub/a.test.js" };

test("the command that runs one test or a file is as the page has it", async () => {
  const jest = runner({
    entry: "/w/node_modules/jest/bin/jest.js",
    commandFlags: ["--experimental-vm-modules"],
  });
  const playwright = runner({ runner: "playwright", entry: "/w/cli.js", runnerFlags: ["-c", "pw.ts"] });
  const node = (version: string): TestRunner => runner({ runner: "node", version });
  const mocha = runner({ runner: "mocha", entry: "/w/mocha.js" });
  const [odd] = (await finder.findTests('it("--watch\\0\\n; rm", () => {})', "javascript")).tests;
  const nested = 'describe("a", () => { test("b", async (t) => { await t.test("c", () => {}); }); });';
  const sub = (await finder.findTests(nested, "javascript")).tests.at(-1);
  const line = `pnpm exec "my runner" --file=\${relativeFile} -t '\${pattern}' \${file}:\${line} \${fullTitle}`;
  const list = "run ${file}:${line} -t ${pattern} --name=${title} --verbose ${file}::${id}".split(" ");

  const commands: Readonly<Record<string, unknown>> = {
    "Jest: the file by its path and the full name as an anchored pattern": createCommandForTest(
      jest,
      join("/w", "sub/a.test.js"),
      hostile,
    ),
    "Jest: a suite": createCommandForTest(jest, "/w/a.js", suite),
    "Jest: a file": createCommandForTest(jest, "/w/a.js"),
    "Jest: a computed title by its known parts": createCommandForTest(jest, "/w/a.js", loop),
    "Playwright: the place, with a file that is read as a regular expression": createCommandForTest(
      playwright,
      "/w/[id] (a).spec.ts",
      hostile,
    ),
    "Playwright: a file": createCommandForTest(playwright, "/w/a.spec.ts"),
    "Playwright: a test whose titles alone are known, as from an agent": createCommandForTest(
      playwright,
      "/w/a.spec.ts",
      { ...hostile, line: 0 },
    ),
    "node before 22: the last title": createCommandForTest(node("20.20.2"), "/w/[a].js", suite),
    "node: the whole path": createCommandForTest(node("24.1.0"), "/w/[a].js", hostile),
    "node: a subtest, with the test that runs it": createCommandForTest(node("24.1.0"), "/w/a.js", sub),
    "node before 22: a subtest, with the test that runs it": createCommandForTest(
      node("20.20.2"),
      "/w/a.js",
      sub,
    ),
    "node: a suite": createCommandForTest(node("24.1.0"), "/w/[a].js", suite),
    "a title that would end an argument or be one": createCommandForTest(mocha, "/w/-a.js", odd),
    "the user's own, filled in word by word": createCommandFromSetting(line, { ...workspace, test: hostile }),
    "the user's own for a file, without a pattern and the option before it": createCommandFromSetting(
      list,
      workspace,
    ),
  };

  // `vitest FILE -u` writes the page anew.
  const page = Object.entries(commands).map(
    ([title, command]) => `# ${title}\n${JSON.stringify(command, null, 1)}\n`,
  );
  await expect(page.join("\n")).toMatchFileSnapshot("test-commands.txt");
});

test.each(["vitest", "jest", "mocha", "node", "playwright", "pytest"] as const)(
  "a file whose name begins with a dash is neither an option of %s nor looked for as ./-x",
  (name) => {
    const { args } = createCommandForTest(
      runner({ runner: name, entry: "/w/entry.js", version: "24.1.0" }),
      "/w/-a.js",
    );

    const [file = "", ...others] = args.filter((arg) => arg.includes("-a"));
    expect(file.replaceAll(/[\\/]/g, "")).toMatch(/^(?:[A-Z]:)?w-a/); // with its folder
    expect(others).toEqual([]);
  },
);

test("an empty setting or one with unknown placeholders is an error", () => {
  const messageOf = (setting: string | string[]): unknown => {
    const result = createCommandFromSetting(setting, workspace);
    return isTapedeckError(result) && `${result.message} ${result.hint}`;
  };

  expect(messageOf("  ")).toMatch(/tapedeck\.testCommand is empty.*\$\{file\}/);
  expect(messageOf([])).toMatch(/is empty/);
  expect(messageOf("run ${files}")).toMatch(/\$\{files\}, which is unknown/);
});

test("words are cut as a shell cuts them", () => {
  expect(splitCommandWords(`a  "b c"'d e'\\ f "g\\"h" '' "open`).join("|")).toBe('a|b cd e f|g"h||open');
});
