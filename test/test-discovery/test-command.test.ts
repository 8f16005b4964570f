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
const PATTERN =
  '^S \\(a\\) \\[b\\] in\\.ner \\$x \\^ \\| y\\* it\'s "1\\+1" \\\\d \u00e9\u6f22 \\$HOME `word` !bang %PATH% -t$';

test("jest is given the file by its path and the full name as an anchored pattern", () => {
  const jest = runner({
    entry: "/w/node_modules/jest/bin/jest.js",
    commandFlags: ["--experimental-vm-modules"],
  });

  const command = createCommandForTest(jest, join("/w", "sub/a.test.js"), hostile);

  expect(command).toEqual({
    command: "node",
    cwd: "/w",
    args: [
      "--experimental-vm-modules",
      "/w/node_modules/jest/bin/jest.js",
      "--runTestsByPath",
      join("sub", "a.test.js"),
      "-t",
      PATTERN,
      "--coverage=false",
    ],
  });
  expect(createCommandForTest(jest, "/w/a.js", suite).args).toContain(
    "^S \\(a\\) \\[b\\] in\\.ner \\$x \\^ \\| y\\* twin ",
  );
  expect(createCommandForTest(jest, "/w/a.js").args).not.toContain("-t");
});

test("Playwright is given the place, with a file that is read as a regular expression", () => {
  const playwright = runner({ runner: "playwright", entry: "/w/cli.js", runnerFlags: ["-c", "pw.ts"] });

  expect(createCommandForTest(playwright, "/w/[id] (a).spec.ts", hostile).args).toEqual([
    "/w/cli.js",
    "test",
    `\\[id\\] \\(a\\)\\.spec\\.ts$:${hostile.line}`,
    "-c",
    "pw.ts",
  ]);
  expect(createCommandForTest(playwright, "/w/a.spec.ts").args).toContain("a\\.spec\\.ts$");
});

test("node before 22 is given the last title, later the whole path", () => {
  const args = (version: string, target: FoundTest): string =>
    createCommandForTest(runner({ runner: "node", version }), "/w/[a].js", target).args.join(" ");

  expect(args("20.20.2", suite)).toBe("--test --test-name-pattern=^in\\.ner \\$x \\^ \\| y\\* twin$ [a].js");
  expect(args("24.1.0", hostile)).toBe(`--test --test-name-pattern=${PATTERN} [[]a].js`);
  expect(args("24.1.0", suite)).toContain("y\\* twin( |$)");
});

test("a computed title is selected by its known parts", () => {
  const { args } = createCommandForTest(runner({ entry: "/w/jest.js" }), "/w/a.js", loop);

  expect(args).toContain("^S \\(a\\) \\[b\\] in\\.ner \\$x \\^ \\| y\\* loop [\\s\\S]* \\(x\\)$");
});

test("nothing in a title can end an argument or be one", async () => {
  const [found] = (await finder.findTests('it("--watch\\0\\n; rm", () => {})', "javascript")).tests;
  const { args } = createCommandForTest(runner({ runner: "mocha", entry: "/w/mocha.js" }), "/w/-a.js", found);

  expect(args).toEqual(["/w/mocha.js", "/w/-a.js", "-g", "^--watch\\x00\\x0a; rm$"]);
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

const workspace = { workspaceFolder: "/w", file: "/w/sub/a.test.js" };

test("a command of the user's own is filled in word by word", () => {
  const line = `pnpm exec "my runner" --file=\${relativeFile} -t '\${pattern}' \${file}:\${line} \${fullTitle}`;

  const command = createCommandFromSetting(line, { ...workspace, test: hostile });

  expect(command).toEqual({
    command: "pnpm",
    cwd: "/w",
    args: [
      "exec",
      "my runner",
      "--file=sub/a.test.js",
      "-t",
      PATTERN,
      `/w/sub/a.test.js:${hostile.line}`,
      hostile.path.join(" "),
    ],
  });
});

test("for a whole file, the pattern of a test is removed with the option before it", () => {
  const list = [
    "run",
    "${file}:${line}",
    "-t",
    "${titlePattern}",
    "--name=${title}",
    "--verbose",
    "${file}::${id}",
  ];

  expect(createCommandFromSetting(list, workspace)).toMatchObject({
    command: "run",
    args: ["/w/sub/a.test.js", "--verbose", "/w/sub/a.test.js"],
  });
});

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
  expect(splitCommandWords(`a  "b c"'d e'\\ f "g\\"h" '' "open`)).toEqual([
    "a",
    "b cd e f",
    'g"h',
    "",
    "open",
  ]);
});
