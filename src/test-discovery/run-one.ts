import { localize } from "../core/base/localize.ts";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { escapePattern } from "../core/call/test-names.ts";
import { ANY_TEXT, type FoundTest, createTitlePattern } from "./found-test.ts";
import { type RunnerName, type TestRunner, splitCommandWords } from "./test-runner.ts";
import { type TapedeckError, createWrongUsage } from "../core/base/errors.ts";

/** A program with its arguments as they are: to be started without a shell. */
export interface TestCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** The part of a file to run: a test, a suite, or the whole file as the list of its tests; undefined if they are unknown. */
export type RunTarget = FoundTest | readonly FoundTest[] | undefined;

/**
 * Returns the command that runs only this test, suite, or file (absolute path).
 * Titles become anchored patterns; parts that only a run knows match any text.
 */
export function createCommandForTest(runner: TestRunner, file: string, target?: RunTarget): TestCommand {
  const test = isWholeFile(target) ? undefined : target;
  const own = ARGUMENTS[runner.runner]({
    runner,
    file,
    test,
    tests: isWholeFile(target) ? (target ?? []) : [],
  });
  const entry = runner.entry === undefined ? [] : [runner.entry];
  return { command: runner.command, args: [...runner.commandFlags, ...entry, ...own], cwd: runner.cwd };
}

/** A regular expression's source for what runners call the full name of a test, or the beginning of a suite's. */
export function createFullNamePattern(test: FoundTest): string {
  const full = escapeLineEnds(createTitlePattern(test));
  return test.kind === "suite" ? `^${full} ` : `^${full}$`;
}

/** As an argument can hold it; mocha reads a pattern up to the end of its first line. */
function escapeLineEnds(pattern: string): string {
  return pattern.replace(/[\0\n\r\u2028\u2029]/g, (sign) => {
    const code = sign.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, "0")}`;
  });
}

function isWholeFile(target: RunTarget): target is readonly FoundTest[] | undefined {
  return target === undefined || Array.isArray(target);
}

interface RunSelection {
  readonly runner: TestRunner;
  readonly file: string;
  readonly test: FoundTest | undefined;
  /** The file's tests, where all of them are wanted. */
  readonly tests: readonly FoundTest[];
}

const ARGUMENTS: Readonly<Record<RunnerName, (selection: RunSelection) => readonly string[]>> = {
  vitest: (selection) => [
    "run",
    fileIn(selection).replaceAll("\\", "/"),
    ...flags(selection),
    ...nameArguments("-t", selection),
    "--coverage.enabled=false",
  ],
  jest: (selection) => [
    "--runTestsByPath",
    fileIn(selection),
    ...flags(selection),
    ...nameArguments("-t", selection),
    "--coverage=false",
  ],
  mocha: (selection) => [fileIn(selection), ...flags(selection), ...mochaNames(selection)],
  node: nodeArguments,
  playwright: (selection) => ["test", ...playwrightPlace(selection), ...flags(selection)],
  pytest: (selection) => [
    "-m",
    "pytest",
    fileIn(selection) + (selection.test ? `::${selection.test.id ?? selection.test.title}` : ""),
  ],
  unittest: unittestArguments,
};

const flags = ({ runner }: RunSelection): readonly string[] => runner.runnerFlags;

function nameArguments(flag: string, { test }: RunSelection): readonly string[] {
  return test ? [flag, createFullNamePattern(test)] : [];
}

/** The file as seen from where the runner starts; never something that reads like an option, which some do with "./" too. */
function fileIn({ runner, file }: RunSelection): string {
  const path = relative(runner.cwd, file);
  return path.startsWith("..") || path.startsWith("-") || isAbsolute(path) ? file : path;
}

/** Mocha also runs the `spec` of its config, so a whole file is asked for by its outermost titles too. */
function mochaNames(selection: RunSelection): readonly string[] {
  const outermost = selection.tests.filter((test) => test.path.length === 1);
  if (selection.test || outermost.length === 0) return nameArguments("-g", selection);
  const titles = outermost.map((test) => escapeLineEnds(createTitlePattern(test)));
  return ["-g", `^(?:${[...new Set(titles)].join("|")})(?: |$)`];
}

/** Node 20 looks at one title at a time, so a namesake in another suite of the file runs too. */
function nodeArguments(selection: RunSelection): readonly string[] {
  const { runner } = selection;
  const test = selection.test && findTestToRun(selection.test);
  const major = Number.parseInt(runner.version ?? "22", 10);
  const file = major > 20 ? escapeGlob(fileIn(selection)) : fileIn(selection);
  if (!test) return ["--test", file];
  const own = test.patterns.at(-1) ?? escapePattern(test.title);
  const whole = test.kind === "suite" ? `^${createTitlePattern(test)}( |$)` : `^${createTitlePattern(test)}$`;
  const pattern = escapeLineEnds(major >= 22 ? whole : `^${own}$`);
  return ["--test", `--test-name-pattern=${pattern}`, file];
}

/** Node selects no subtest alone: nothing runs if only its own title matches. */
function findTestToRun(test: FoundTest): FoundTest {
  const path = test.path.slice(0, test.runsWith);
  return { ...test, path, patterns: test.patterns.slice(0, test.runsWith), title: path.at(-1) ?? test.title };
}

function escapeGlob(path: string): string {
  return path.replace(/[[\]*?{}()!]/g, (sign) =>
    sign === "]" || sign === "}" || sign === ")" ? sign : `[${sign}]`,
  );
}

/** Playwright reads the file as a regular expression. It appends the tags of a test to its titles. */
function playwrightPlace(selection: RunSelection): readonly string[] {
  const { test } = selection;
  const path = `${escapePattern(fileIn(selection))}$`;
  if (!test) return [path];
  return test.line > 0 ? [`${path}:${test.line}`] : [path, "-g", ` ${createTitlePattern(test)}(?: @\\S+)*$`];
}

/** By dotted name where the file can be imported from the project's folder, else by the folder it is imported from. */
function unittestArguments({ runner, file, test }: RunSelection): readonly string[] {
  const top = runner.importFrom ?? dirname(file);
  const parts = relative(top, join(dirname(file), basename(file, ".py"))).split(sep);
  const importable = parts.every((part) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(part));
  const name = [...parts, ...(test?.path ?? [])].join(".");
  if (top === runner.cwd && importable) return ["-m", "unittest", name];
  const select = test ? ["-k", `*${name}${test.kind === "suite" ? ".*" : ""}`] : [];
  const pattern = basename(file).replace(/[[*?]/g, "[$&]");
  return ["-m", "unittest", "discover", "-s", dirname(file), "-t", top, "-p", pattern, ...select];
}

interface TestCommandOptions {
  /** Absolute. */
  readonly file: string;
  readonly workspaceFolder: string;
  /** Undefined for the whole file. */
  readonly test?: FoundTest | undefined;
}

const NAMES = [
  "file",
  "relativeFile",
  "fileDirname",
  "workspaceFolder",
  "title",
  "fullTitle",
  "pattern",
  "line",
  "id",
] as const;
type PlaceName = (typeof NAMES)[number];

/**
 * The command of the setting `tapedeck.testCommand`: a list of arguments, the program first, or one line that is cut
 * into words as a shell does, before anything is filled in; so no title can ever become an argument or a command.
 *
 * Filled in are `${file}`, `${relativeFile}`, `${fileDirname}`, `${workspaceFolder}`, `${title}`, `${fullTitle}`,
 * `${pattern}` (anchored regular expression), `${line}` and `${id}` (pytest). For a whole file the last have no value:
 * `:${line}` and `::${id}` fall away, and any other argument that asks for one goes, with the option before it.
 */
export function createCommandFromSetting(
  setting: string | readonly string[],
  options: TestCommandOptions,
): TestCommand | TapedeckError {
  const words = typeof setting === "string" ? splitCommandWords(setting) : setting;
  const unknown = words
    .flatMap((word) => [...word.matchAll(/\$\{([^}]*)\}/g)])
    .find(([, name]) => !isPlaceName(name));
  if (words[0] === undefined || words[0] === "")
    return createWrongUsage(localize("The setting tapedeck.testCommand is empty."), HINT);
  if (unknown)
    return createWrongUsage(
      localize("The setting tapedeck.testCommand contains {0}, which is unknown.", unknown[0]),
      HINT,
    );
  const template = options.test ? words : wholeFile(words);
  const [command = "", ...args] = template.map((word) => fillIn(word, values(options)));
  return { command, args, cwd: options.workspaceFolder };
}

const HINT = localize(
  "Enter a program and its arguments. You can use {0}.",
  NAMES.map((name) => `\${${name}}`).join(", "),
);

const isPlaceName = (name: string | undefined): name is PlaceName => NAMES.some((known) => known === name);

function values({ file, workspaceFolder, test }: TestCommandOptions): Readonly<Record<PlaceName, string>> {
  return {
    file,
    relativeFile: relative(workspaceFolder, file).replaceAll("\\", "/"),
    fileDirname: dirname(file),
    workspaceFolder,
    title: test?.title ?? "",
    fullTitle: test?.path.join(" ") ?? "",
    pattern: test ? createFullNamePattern(test) : ANY_TEXT,
    line: String(test?.line ?? ""),
    id: test?.id ?? "",
  };
}

function fillIn(word: string, value: Readonly<Record<PlaceName, string>>): string {
  return word.replace(/\$\{([^}]*)\}/g, (whole, name: string) => (isPlaceName(name) ? value[name] : whole));
}

function wholeFile(words: readonly string[]): readonly string[] {
  const own = words.map((word) => word.replace(/:\$\{line\}|::\$\{id\}/g, ""));
  const asks = (word: string | undefined): boolean =>
    /\$\{(?:title|fullTitle|pattern|line|id)\}/.test(word ?? "");
  const isOption = (word: string): boolean => word.startsWith("-") && !word.includes("=");
  return own.filter((word, index) => !asks(word) && !(isOption(word) && asks(own[index + 1])));
}
