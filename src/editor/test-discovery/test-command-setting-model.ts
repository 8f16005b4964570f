import { dirname, relative } from "node:path";
import { wrongUsage, type TapedeckError } from "../../core/errors.ts";
import { commandWords } from "./script-flags-model.ts";
import { ANY_TEXT, type FoundTest } from "./found-test-model.ts";
import { fullNamePattern, type TestCommand } from "./run-one-model.ts";

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
  "titlePattern",
  "line",
  "id",
] as const;
type PlaceName = (typeof NAMES)[number];

/**
 * The command of the setting `tapedeck.testCommand`: a list of arguments, the program first, or one line that is cut
 * into words as a shell does, before anything is filled in; so no title can ever become an argument or a command.
 *
 * Filled in are `${file}`, `${relativeFile}`, `${fileDirname}`, `${workspaceFolder}`, `${title}`, `${fullTitle}`,
 * `${pattern}` (anchored regular expression, also `${titlePattern}`), `${line}` and `${id}` (pytest). For a whole file the last have no
 * value: `:${line}` and `::${id}` fall away, and any other argument that asks for one goes, with the option before it.
 */
export function commandFromSetting(
  setting: string | readonly string[],
  options: TestCommandOptions,
): TestCommand | TapedeckError {
  const words = typeof setting === "string" ? commandWords(setting) : setting;
  const unknown = words
    .flatMap((word) => [...word.matchAll(/\$\{([^}]*)\}/g)])
    .find(([, name]) => !isPlaceName(name));
  if (words[0] === undefined || words[0] === "")
    return wrongUsage("The setting tapedeck.testCommand is empty.", HINT);
  if (unknown)
    return wrongUsage(`The setting tapedeck.testCommand holds ${unknown[0]}, which has no meaning.`, HINT);
  const wanted = options.test ? words : wholeFile(words);
  const [command = "", ...args] = wanted.map((word) => fillIn(word, values(options)));
  return { command, args, cwd: options.workspaceFolder };
}

const HINT = `Give a program and its arguments, with ${NAMES.map((name) => `\${${name}}`).join(", ")} where they belong.`;

const isPlaceName = (name: string | undefined): name is PlaceName => NAMES.some((known) => known === name);

function values({ file, workspaceFolder, test }: TestCommandOptions): Readonly<Record<PlaceName, string>> {
  return {
    file,
    relativeFile: relative(workspaceFolder, file).replaceAll("\\", "/"),
    fileDirname: dirname(file),
    workspaceFolder,
    title: test?.title ?? "",
    fullTitle: test?.path.join(" ") ?? "",
    pattern: test ? fullNamePattern(test) : ANY_TEXT,
    titlePattern: test ? fullNamePattern(test) : ANY_TEXT,
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
    /\$\{(?:title|fullTitle|pattern|titlePattern|line|id)\}/.test(word ?? "");
  const isOption = (word: string): boolean => word.startsWith("-") && !word.includes("=");
  return own.filter((word, index) => !asks(word) && !(isOption(word) && asks(own[index + 1])));
}
