import { dirname, join } from "node:path";
import { type Fields, readFields, isFields, tryParsePlainJson } from "../core/base/lenient.ts";
import { listFoldersUp } from "../storage/inside.ts";
import { pathToFileURL } from "node:url";

export type RunnerName = "vitest" | "jest" | "mocha" | "node" | "playwright" | "pytest" | "unittest";

/** The command that starts the tests of a file: the program, its first arguments, and its working directory. */
export interface TestRunner {
  readonly runner: RunnerName;
  readonly cwd: string;
  /** `node`, or the Python interpreter. */
  readonly command: string;
  /** Arguments of `command` itself, before the runner's entry: loaders, experimental flags. */
  readonly commandFlags: readonly string[];
  /** Absolute path of the runner's own entry file, started without a wrapper; node and Python have none. */
  readonly entry?: string;
  /** The runner's version; of node:test, Node's. */
  readonly version?: string;
  /** Arguments that the project's own script gives this runner: its config, what it loads first. */
  readonly runnerFlags: readonly string[];
  /** unittest: the folder that contains the file's outermost package; without a package, the file's folder. */
  readonly importFrom?: string;
}

/** The files of a workspace, as far as telling a runner needs them. Paths are absolute. */
export interface ProjectFiles {
  /** Undefined where there is no such file. */
  readFile(path: string): Promise<string | undefined>;
  exists(path: string): Promise<boolean>;
}

export async function findFirstIn(
  files: ProjectFiles,
  folder: string,
  names: readonly string[],
): Promise<string | undefined> {
  const present = await Promise.all(names.map((name) => files.exists(join(folder, name))));
  return names.find((_, index) => present[index]);
}

/** The fields of a package.json that determine how its tests run. A value of another type counts as absent. */
export interface ProjectPackage {
  readonly version?: string;
  /** Paths of the programs it brings, by name; one without a name is under "". */
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  /** Names of all kinds of dependencies. */
  readonly dependencies: ReadonlySet<string>;
  readonly members: ReadonlySet<string>;
}

/** Reads the package.json of a folder; undefined where there is none or it is no JSON object. */
export async function readPackage(files: ProjectFiles, folder: string): Promise<ProjectPackage | undefined> {
  const text = await files.readFile(join(folder, "package.json"));
  if (text === undefined) return undefined;
  const parsed = tryParsePlainJson(text);
  return isFields(parsed) ? packageFrom(parsed) : undefined;
}

function packageFrom(parsed: Fields): ProjectPackage {
  const { version, bin } = parsed;
  const kinds = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
  return {
    ...(typeof version === "string" && { version }),
    bin: typeof bin === "string" ? { "": bin } : texts(bin),
    scripts: texts(parsed["scripts"]),
    dependencies: new Set(kinds.flatMap((kind) => Object.keys(texts(parsed[kind])))),
    members: new Set(Object.keys(parsed)),
  };
}

function texts(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(readFields(value)).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}

/** Yarn's Plug'n'Play: instead of `node_modules`, a script locates each package for Node, often in an archive. */
interface PlugAndPlay {
  /** Node options that load the script before other modules. */
  readonly flags: readonly string[];
  /** Finds a package as the file's own package would load it. */
  locate(name: string): Promise<(ProjectPackage & { readonly folder: string }) | undefined>;
}

export interface RunnerSearch extends ProjectFiles {
  /** Absolute. */
  readonly file: string;
  /** Runs a program and returns its output; undefined if it fails. Without it, Yarn's Plug'n'Play packages are not found. */
  readonly ask?: (program: string, args: readonly string[]) => Promise<string | undefined>;
}

const LOADER = ".pnp.loader.mjs";

/** Asks the interface that Yarn documents; files in archives can be read once its script is loaded. */
const LOCATE = `
const [, name, file] = process.argv;
const folder = require("node:module").findPnpApi(file).resolveToUnqualified(name, file);
console.log(folder + "\\n" + require("node:fs").readFileSync(require("node:path").join(folder, "package.json"), "utf8"));
`;

/** The nearest installation of that kind at or above a file. */
export async function findPlugAndPlay(search: RunnerSearch): Promise<PlugAndPlay | undefined> {
  const { file, ask } = search;
  for (const home of listFoldersUp(dirname(file))) {
    const script = join(home, ".pnp.cjs");
    if (!(await search.exists(script))) continue;
    const hasLoader = (await findFirstIn(search, home, [LOADER])) !== undefined;
    const loader = ["--experimental-loader", pathToFileURL(join(home, LOADER)).href];
    return {
      flags: ["--require", script, ...(hasLoader ? loader : [])],
      async locate(name) {
        const answer = await ask?.("node", ["--require", script, "-e", LOCATE, name, file]);
        const [, folder = "", manifest = ""] = /^(.*)\n([\s\S]*)$/.exec(answer ?? "") ?? [];
        const parsed = tryParsePlainJson(manifest);
        return isFields(parsed) ? { ...packageFrom(parsed), folder } : undefined;
      },
    };
  }
  return undefined;
}

type ScriptRunner = Exclude<RunnerName, "pytest" | "unittest">;

/** The options of a project's script for node and the runner that a single test needs as well. */
interface ScriptFlags {
  readonly commandFlags: readonly string[];
  readonly runnerFlags: readonly string[];
}

const STARTS: Readonly<Record<ScriptRunner, RegExp>> = {
  vitest: /(?:^|[\s/\\])vitest(?:\.mjs)?(?=\s|$)/,
  jest: /(?:^|[\s/\\])jest(?:\.js)?(?=\s|$)/,
  mocha: /(?:^|[\s/\\])_?mocha(?:\.js)?(?=\s|$)/,
  playwright: /(?:^|[\s/\\])playwright\s+test(?=\s|$)/,
  node: /(?:^|[\s/\\])(?:node|tsx)(?:\.exe)?\s(?:.*\s)?--test(?=[\s=]|$)/,
};

/** Flags that are followed by a value, worth keeping for a single test. */
const RUNNER_VALUES: Readonly<Record<ScriptRunner, readonly string[]>> = {
  vitest: ["--config", "-c", "--project", "--environment"],
  jest: ["--config", "-c"],
  mocha: "--config --require -r --import --loader -n --node-option --ui -u --timeout -t".split(" "),
  playwright: ["--config", "-c", "--project"],
  node: [],
};
const NODE_VALUES = [
  "--import",
  "--require",
  "-r",
  "--loader",
  "--experimental-loader",
  "--conditions",
  "-C",
  "--env-file",
];
const NODE_SWITCH = /^--(?:no-)?(?:experimental-|enable-source-maps$|strip-types$)/;

/** Whether one of the scripts starts this runner; `test` and what begins with it come first. */
export function findScript(
  scripts: Readonly<Record<string, string>>,
  runner: ScriptRunner,
): { readonly name: string; readonly command: string } | undefined {
  const names = Object.keys(scripts).sort((a, b) => rank(a) - rank(b));
  for (const name of names) {
    const command = scripts[name]?.split(/&&|\|\||[;|]/).find((part) => STARTS[runner].test(part));
    if (command !== undefined) return { name, command };
  }
  return undefined;
}

const rank = (name: string): number => (name === "test" ? 0 : name.startsWith("test") ? 1 : 2);

export function readScriptFlags(
  scripts: Readonly<Record<string, string>>,
  runner: ScriptRunner,
): ScriptFlags {
  const words = splitCommandWords(findScript(scripts, runner)?.command ?? "");
  const start = words.findIndex((word) => new RegExp(`(?:^|[/\\\\])_?${runner}(?:\\.m?js)?$`).test(word));
  const before = runner === "node" ? words : words.slice(0, Math.max(start, 0));
  const options = before
    .filter((word) => word.startsWith("NODE_OPTIONS="))
    .flatMap((word) => splitCommandWords(word.slice("NODE_OPTIONS=".length)));
  const byTsx =
    runner === "node" && words.some((word) => /(?:^|[/\\])tsx$/.test(word)) && !words.includes("--import");
  return {
    commandFlags: [
      ...(byTsx ? ["--import", "tsx"] : []),
      ...keepFlags([...options, ...before], NODE_VALUES, NODE_SWITCH),
    ],
    runnerFlags: start < 0 ? [] : keepFlags(words.slice(start + 1), RUNNER_VALUES[runner]),
  };
}

function keepFlags(words: readonly string[], values: readonly string[], switches = /^$/): readonly string[] {
  return words.flatMap((word, index) => {
    const value = words[index + 1];
    if (values.includes(word) && value !== undefined) return [word, value];
    const joined = values.some((name) => name.startsWith("--") && word.startsWith(`${name}=`));
    return joined || switches.test(word) ? [word] : [];
  });
}

/**
 * Splits a command line into words at blanks outside of quotes, as a shell does.
 * Expands nothing. A quote that is never closed reaches to the end.
 */
export function splitCommandWords(line: string): readonly string[] {
  const words: string[] = [];
  const pieces = /(\s+)|"((?:\\["\\$`]|[^"])*)"?|'([^']*)'?|\\([\s\S])|([^\s"'\\]+)/g;
  let word: string | undefined;
  for (const [, blank, double, single, escaped, plain] of line.matchAll(pieces)) {
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word = (word ?? "") + (double?.replace(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? plain ?? "");
  }
  return word === undefined ? words : [...words, word];
}
