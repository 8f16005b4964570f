import { listFoldersUp } from "../storage/inside.ts";
import { dirname, extname, join, sep } from "node:path";
import type { TapedeckError } from "../core/base/errors.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import {
  type ProjectFiles,
  type ProjectPackage,
  type RunnerName,
  type RunnerSearch,
  type TestRunner,
  findScript,
  findFirstIn,
  findPlugAndPlay,
  readPackage,
  readScriptFlags,
} from "./test-runner.ts";
import {
  createNoRunnerError,
  createNotInstalledError,
  createPytestMissingError,
  createUnknownRunnerError,
} from "./runner-errors.ts";

type JavaScriptRunner = Exclude<RunnerName, "pytest" | "unittest">;

const SCRIPT_ENDINGS = ["ts", "mts", "cts", "js", "mjs", "cjs"];
const withEndings = (name: string, endings: readonly string[]): readonly string[] =>
  endings.map((ending) => `${name}.${ending}`);

/** In order of preference where a folder speaks for several. */
const CONFIGS: Readonly<Record<JavaScriptRunner, readonly string[]>> = {
  vitest: [
    ...withEndings("vitest.config", SCRIPT_ENDINGS),
    ...withEndings("vitest.workspace", ["ts", "js", "json"]),
  ],
  jest: withEndings("jest.config", [...SCRIPT_ENDINGS, "json"]),
  mocha: withEndings(".mocharc", ["js", "cjs", "mjs", "json", "jsonc", "yaml", "yml"]),
  node: [],
  playwright: withEndings("playwright.config", SCRIPT_ENDINGS),
};
const RUNNERS: readonly JavaScriptRunner[] = ["vitest", "jest", "mocha", "node", "playwright"];

const MODULES: Readonly<Record<string, JavaScriptRunner>> = {
  vitest: "vitest",
  "@jest/globals": "jest",
  mocha: "mocha",
  "node:test": "node",
  "@playwright/test": "playwright",
};
const UNKNOWN_MODULES = ["bun:test", "ava", "tape", "uvu", "jasmine", "@japa/runner"];

const PACKAGES: Readonly<
  Record<Exclude<JavaScriptRunner, "node">, { readonly name: string; readonly entry: string }>
> = {
  vitest: { name: "vitest", entry: "vitest.mjs" },
  jest: { name: "jest", entry: "bin/jest.js" },
  mocha: { name: "mocha", entry: "bin/mocha.js" },
  playwright: { name: "@playwright/test", entry: "cli.js" },
};

export interface DetectOptions extends RunnerSearch {
  /** Absolute; nothing above it is asked for settings, only for installed packages. */
  readonly workspaceFolder: string;
  /** Version of the `node` that will run the tests, e.g. "v20.20.2". If it is unknown, 22 or later is assumed. */
  readonly nodeVersion?: string | undefined;
  /** A chosen Python interpreter. */
  readonly python?: string | undefined;
  readonly virtualEnv?: string | undefined;
  /** Whether this interpreter can import pytest. */
  readonly hasPytest?: (python: string) => Promise<boolean>;
}

/** Runner of a folder, as its files configure it. */
interface Folder {
  readonly path: string;
  readonly package: ProjectPackage | undefined;
  readonly configured: readonly JavaScriptRunner[];
}

/** Detects the runner of a JavaScript or TypeScript test file: by its imports, or else by the nearest folder with a configuration. */
async function javascriptRunner(options: DetectOptions): Promise<TestRunner | TapedeckError> {
  const folders = await Promise.all(
    listFoldersUp(dirname(options.file), options.workspaceFolder).map((path) => readFolder(options, path)),
  );
  const imported = importedModules((await options.readFile(options.file)) ?? "");
  const unknown = UNKNOWN_MODULES.find((name) => imported.has(name));
  if (unknown !== undefined) return createUnknownRunnerError(options.file, unknown);
  const runner =
    RUNNERS.find((one) => [...imported].some((name) => MODULES[name] === one)) ??
    findDeclaredRunner(folders, options.file);
  if (runner === undefined) return createNoRunnerError(options.file, options.workspaceFolder);
  const home = homeOf(runner, folders);
  const cwd = home?.path ?? options.workspaceFolder;
  const flags = readScriptFlags(home?.package?.scripts ?? {}, runner);
  return runner === "node"
    ? nodeRunner(options, cwd, flags)
    : findInstalled(options, { runner, cwd, command: "node", ...flags });
}

async function readFolder(files: ProjectFiles, path: string): Promise<Folder> {
  const configured = await Promise.all(RUNNERS.map((runner) => findFirstIn(files, path, CONFIGS[runner])));
  return {
    path,
    package: await readPackage(files, path),
    configured: RUNNERS.filter((_, index) => configured[index] !== undefined),
  };
}

function importedModules(text: string): ReadonlySet<string> {
  const imports = text.matchAll(/(?:\bfrom|\bimport|\brequire\s*\()\s*["']([^"'\n]+)["']/g);
  return new Set([...imports].flatMap(([, name]) => (name === undefined ? [] : [name])));
}

/** The innermost folder with an opinion. Playwright's tests lie beside others: it counts where nothing else does. */
function findDeclaredRunner(folders: readonly Folder[], file: string): JavaScriptRunner | undefined {
  const browser = /[\\/](?:e2e|playwright)[\\/]|\.e2e\.[cm]?[jt]sx?$/.test(file);
  for (const folder of folders) {
    const declared = RUNNERS.filter((runner) => declaresRunner(folder, runner));
    if (browser && declared.includes("playwright")) return "playwright";
    const [best] = declared.sort((a, b) => strength(folder, b) - strength(folder, a));
    if (best !== undefined) return best;
  }
  return undefined;
}

function declaresRunner(folder: Folder, runner: JavaScriptRunner): boolean {
  return folder.configured.includes(runner) || strength(folder, runner) > 0;
}

function strength(folder: Folder, runner: JavaScriptRunner): number {
  const { package: own, configured } = folder;
  const starts = findScript(own?.scripts ?? {}, runner)?.name;
  if (runner === "playwright") return starts !== undefined || configured.includes(runner) ? 0.5 : 0;
  if (starts === "test") return 4;
  if (configured.includes(runner) || own?.members.has(runner)) return 3;
  if (starts !== undefined) return 2;
  return runner !== "node" && own?.dependencies.has(PACKAGES[runner].name) ? 1 : 0;
}

/** Where the runner is started: beside its config, else beside the package that names it, else beside any package. */
function homeOf(runner: JavaScriptRunner, folders: readonly Folder[]): Folder | undefined {
  return (
    folders.find((folder) => folder.configured.includes(runner)) ??
    folders.find((folder) => declaresRunner(folder, runner)) ??
    folders.find((folder) => folder.package !== undefined)
  );
}

async function nodeRunner(
  options: DetectOptions,
  cwd: string,
  flags: Pick<TestRunner, "commandFlags" | "runnerFlags">,
): Promise<TestRunner> {
  const version = options.nodeVersion?.replace(/^v/, "");
  const typed =
    /\.[cm]?tsx?$/.test(options.file) &&
    !flags.commandFlags.some((flag) => /import|require|loader|strip|transform/.test(flag));
  const hasTsx = typed && (await findPackage(options, "tsx")) !== undefined;
  const pnp = await findPlugAndPlay(options);
  const commandFlags = [...(pnp?.flags ?? []), ...flags.commandFlags, ...(hasTsx ? ["--import", "tsx"] : [])];
  return { runner: "node", cwd, command: "node", ...flags, commandFlags, ...pickDefined({ version }) };
}

async function findInstalled(
  options: DetectOptions,
  runner: TestRunner & { readonly runner: Exclude<JavaScriptRunner, "node"> },
): Promise<TestRunner | TapedeckError> {
  const { name, entry } = PACKAGES[runner.runner];
  const found = await findPackage(options, name);
  if (found === undefined) return createNotInstalledError(options.file, name);
  const program = found.bin[runner.runner] ?? found.bin[""] ?? entry;
  return {
    ...runner,
    commandFlags: [...found.flags, ...runner.commandFlags],
    entry: join(found.folder, program),
    ...pickDefined({ version: found.version }),
  };
}

/** A package as it is installed; `flags` are what Node needs to load it. */
interface FoundPackage extends Pick<ProjectPackage, "bin" | "version"> {
  readonly folder: string;
  readonly flags: readonly string[];
}

/** Where Node would find the package: beyond the workspace folder too, which may be part of a larger project. */
async function findPackage(options: DetectOptions, name: string): Promise<FoundPackage | undefined> {
  for (const above of listFoldersUp(dirname(options.file))) {
    const folder = join(above, "node_modules", name);
    if (!(await options.exists(join(folder, "package.json")))) continue;
    return { bin: {}, ...(await readPackage(options, folder)), folder, flags: [] };
  }
  const pnp = await findPlugAndPlay(options);
  const located = await pnp?.locate(name);
  return pnp && located && { ...located, flags: pnp.flags };
}

const ROOT_FILES = ["pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py"];
const SECTIONS: Readonly<Record<string, RegExp>> = {
  "pytest.ini": /(?:)/,
  ".pytest.ini": /(?:)/,
  "pyproject.toml": /^\s*\[\s*tool\.pytest\b/m,
  "tox.ini": /^\s*\[pytest\]/m,
  "setup.cfg": /^\s*\[tool:pytest\]/m,
};

/** Tells the runner of a Python test file: pytest where the project or the file speaks of it or it is there, else unittest. */
async function pythonRunner(options: DetectOptions): Promise<TestRunner | TapedeckError> {
  const folders = listFoldersUp(dirname(options.file), options.workspaceFolder);
  const python = await interpreter(options, folders);
  const text = (await options.readFile(options.file)) ?? "";
  const configured = await pytestRoot(options, folders);
  const asksForPytest =
    configured !== undefined ||
    /^\s*(?:import|from)\s+pytest\b/m.test(text) ||
    (await hasConftest(options, folders));
  const available = options.hasPytest ? await options.hasPytest(python) : asksForPytest;
  const isUnittest = /\bTestCase\b/.test(text);
  if (!available && (asksForPytest || !isUnittest)) return createPytestMissingError(options.file, python);
  const cwd = configured ?? (await projectRoot(options, folders)) ?? options.workspaceFolder;
  const start = { cwd, command: python, commandFlags: [], runnerFlags: [] };
  if (available) return { runner: "pytest", ...start };
  return { runner: "unittest", ...start, importFrom: await packageParent(options, options.file) };
}

/** The first folder above a file that is no package. */
async function packageParent(files: ProjectFiles, file: string): Promise<string> {
  const folders = listFoldersUp(dirname(file));
  for (const folder of folders) if (!(await files.exists(join(folder, "__init__.py")))) return folder;
  return dirname(file);
}

async function interpreter(options: DetectOptions, folders: readonly string[]): Promise<string> {
  if (options.python !== undefined) return options.python;
  const programs =
    sep === "\\" ? [join("Scripts", "python.exe")] : [join("bin", "python"), join("bin", "python3")];
  for (const folder of folders) {
    const found = await findFirstIn(
      options,
      folder,
      [".venv", "venv"].flatMap((name) => programs.map((program) => join(name, program))),
    );
    if (found !== undefined) return join(folder, found);
  }
  if (options.virtualEnv) {
    const active = await findFirstIn(options, options.virtualEnv, programs);
    if (active !== undefined) return join(options.virtualEnv, active);
  }
  return sep === "\\" ? "python" : "python3";
}

/** The innermost folder with settings for pytest. */
async function pytestRoot(files: ProjectFiles, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const checks = Object.entries(SECTIONS).map(async ([name, section]) => {
      const text = await files.readFile(join(folder, name));
      return text !== undefined && section.test(text);
    });
    if ((await Promise.all(checks)).includes(true)) return folder;
  }
  return undefined;
}

async function hasConftest(files: ProjectFiles, folders: readonly string[]): Promise<boolean> {
  return (await Promise.all(folders.map((folder) => files.exists(join(folder, "conftest.py"))))).includes(
    true,
  );
}

async function projectRoot(files: ProjectFiles, folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders)
    if ((await findFirstIn(files, folder, ROOT_FILES)) !== undefined) return folder;
  return undefined;
}

/** Languages whose programs name their tests in a header. A project may also have a JavaScript runner. */
const OTHER_LANGUAGES: Readonly<Record<string, string>> = {
  ".go": "Go",
  ".java": "Java",
  ".kt": "Kotlin",
  ".rs": "Rust",
  ".rb": "Ruby",
  ".php": "PHP",
  ".cs": "C#",
};

/**
 * Finds the runner of a test file and how to start it in the file's folder. If the runner is unknown or not installed,
 * returns an error that names the places that were searched.
 */
export async function detectRunner(options: DetectOptions): Promise<TestRunner | TapedeckError> {
  const language = OTHER_LANGUAGES[extname(options.file)];
  if (language !== undefined) return createUnknownRunnerError(options.file, language);
  return /\.pyi?$/.test(options.file) ? pythonRunner(options) : javascriptRunner(options);
}
