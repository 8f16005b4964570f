import { dirname, join } from "node:path";
import { tapedeckError, type TapedeckError } from "../../core/base/errors.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import {
  commandToAdd,
  readPackage,
  type ProjectPackage,
  plugAndPlay,
  type AskProgram,
  firstIn,
  foldersAbove,
  type ProjectFiles,
  type RunnerName,
  type TestRunner,
} from "./test-runner-model.ts";
import { scriptFlags, findScript } from "./script-flags-model.ts";

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

interface JavaScriptProject {
  readonly file: string;
  readonly workspaceFolder: string;
  readonly files: ProjectFiles;
  /** Of the `node` that will run the tests, e.g. "20.20.2"; node:test reads names differently before 22. */
  readonly nodeVersion?: string | undefined;
  readonly ask?: AskProgram | undefined;
}

/** One folder's word on how its tests run. */
interface Folder {
  readonly path: string;
  readonly package: ProjectPackage | undefined;
  readonly configured: readonly JavaScriptRunner[];
}

/** Tells the runner of a JavaScript or TypeScript test file: by what it imports, else by the nearest folder that says. */
export async function javascriptRunner(project: JavaScriptProject): Promise<TestRunner | TapedeckError> {
  const folders = await Promise.all(
    foldersAbove(project.file, project.workspaceFolder).map((path) => readFolder(project.files, path)),
  );
  const imported = importedModules((await project.files.readFile(project.file)) ?? "");
  const unknown = UNKNOWN_MODULES.find((name) => imported.has(name));
  if (unknown !== undefined) return unknownRunner(project.file, unknown);
  const runner =
    RUNNERS.find((one) => [...imported].some((name) => MODULES[name] === one)) ??
    toldByFolders(folders, project.file);
  if (runner === undefined) return noRunner(project);
  const home = homeOf(runner, folders);
  const cwd = home?.path ?? project.workspaceFolder;
  const flags = scriptFlags(home?.package?.scripts ?? {}, runner);
  return runner === "node"
    ? nodeRunner(project, cwd, flags)
    : findInstalled(project, { runner, cwd, command: "node", ...flags });
}

async function readFolder(files: ProjectFiles, path: string): Promise<Folder> {
  const configured = await Promise.all(RUNNERS.map((runner) => firstIn(files, path, CONFIGS[runner])));
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
function toldByFolders(folders: readonly Folder[], file: string): JavaScriptRunner | undefined {
  const browser = /[\\/](?:e2e|playwright)[\\/]|\.e2e\.[cm]?[jt]sx?$/.test(file);
  for (const folder of folders) {
    const told = RUNNERS.filter((runner) => speaksFor(folder, runner));
    if (browser && told.includes("playwright")) return "playwright";
    const [best] = told.sort((a, b) => strength(folder, b) - strength(folder, a));
    if (best !== undefined) return best;
  }
  return undefined;
}

function speaksFor(folder: Folder, runner: JavaScriptRunner): boolean {
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
    folders.find((folder) => speaksFor(folder, runner)) ??
    folders.find((folder) => folder.package !== undefined)
  );
}

async function nodeRunner(
  project: JavaScriptProject,
  cwd: string,
  flags: Pick<TestRunner, "commandFlags" | "runnerFlags">,
): Promise<TestRunner> {
  const version = project.nodeVersion?.replace(/^v/, "");
  const typed =
    /\.[cm]?tsx?$/.test(project.file) &&
    !flags.commandFlags.some((flag) => /import|require|loader|strip|transform/.test(flag));
  const hasTsx = typed && (await findPackage(project, "tsx")) !== undefined;
  const pnp = await plugAndPlay(project.files, project.file, project.ask);
  const commandFlags = [...(pnp?.flags ?? []), ...flags.commandFlags, ...(hasTsx ? ["--import", "tsx"] : [])];
  return { runner: "node", cwd, command: "node", ...flags, commandFlags, ...pickDefined({ version }) };
}

async function findInstalled(
  project: JavaScriptProject,
  runner: TestRunner & { readonly runner: Exclude<JavaScriptRunner, "node"> },
): Promise<TestRunner | TapedeckError> {
  const { name, entry } = PACKAGES[runner.runner];
  const found = await findPackage(project, name);
  if (found === undefined) return notInstalled(project, name);
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

/** Where Node would find the package: beyond the workspace folder too, which may be a part of a larger project. */
async function findPackage(
  { file, files, ask }: JavaScriptProject,
  name: string,
): Promise<FoundPackage | undefined> {
  for (const above of foldersAbove(file)) {
    const folder = join(above, "node_modules", name);
    if (!(await files.exists(join(folder, "package.json")))) continue;
    return { bin: {}, ...(await readPackage(files, folder)), folder, flags: [] };
  }
  const pnp = await plugAndPlay(files, file, ask);
  const located = await pnp?.locate(name);
  return pnp && located && { ...located, flags: pnp.flags };
}

const OVERRIDE = "or say how to run one test with the setting tapedeck.testCommand.";

function noRunner({ file, workspaceFolder }: JavaScriptProject): TapedeckError {
  return tapedeckError("tapedeck_usage", `Tapedeck cannot tell which test runner runs ${file}.`, {
    hint:
      `Looked for an import of vitest, node:test, @jest/globals, mocha or @playwright/test in the file, and from its folder up to ${workspaceFolder} ` +
      `for a config file, a script or a dependency of vitest, jest, mocha, node --test or Playwright. Add one, ${OVERRIDE}`,
  });
}

function unknownRunner(file: string, name: string): TapedeckError {
  return tapedeckError(
    "tapedeck_usage",
    `${file} is a test of ${name}, which Tapedeck does not know how to start.`,
    {
      hint: `Known are vitest, jest, mocha, node:test and Playwright. Say how to run one test with the setting tapedeck.testCommand.`,
    },
  );
}

async function notInstalled({ file, files }: JavaScriptProject, name: string): Promise<TapedeckError> {
  const add = await commandToAdd(files, file, name);
  return tapedeckError("tapedeck_usage", `${name}, which runs ${file}, is not installed.`, {
    hint: `Looked for node_modules/${name} in ${dirname(file)} and all folders above it. Install the project's dependencies, or add it (${add}), ${OVERRIDE}`,
  });
}
