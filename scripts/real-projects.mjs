// npm run real-projects -- DIR [--program FILE]: runs a command of each public project below DIR under Tapedeck. Each is in
// a folder with its name and has its packages installed. A server on this machine gives the same answer to every call of
// the recorded run; then the run is replayed. Prints the outcomes of the calls, and exits with 1 if a project makes no call
// or one is not replayed. Needs no network and no key, and changes no project.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { recordAndReplay, row, startAnswering } from "./checks/recorded-twice.mjs";
import { distDir } from "./host/paths.mjs";

/** Paths of LangChain's example in its versions. */
const LANGCHAIN = [
  "src/langchain-classic/models/chat/chat_quick_start.ts",
  "src/models/chat/chat_quick_start.ts",
  "src/get_started/quickstart.ts",
];

/** Tests of one provider. Left out: a file that downloads audio when imported, and examples in pages, which end pytest on a failure. */
const OF_OPENAI = [
  "tests/llm/test_openai",
  ...["test_multimodal.py", "docs"].map((name) => `--ignore=tests/llm/test_openai/${name}`),
];

/** @type {readonly { folder: string, from?: string, command: (project: string, cwd: string) => readonly string[] }[]} */
const PROJECTS = [
  { folder: "instructor", command: python("-m", "pytest", ...OF_OPENAI, "-q") },
  { folder: "ai", from: "examples/ai-functions", command: tsx("src/generate-text/openai/basic.ts") },
  { folder: "langchainjs", from: "examples", command: tsx(...LANGCHAIN) },
  { folder: "openai-agents-python", command: python("examples/basic/hello_world.py") },
  { folder: "openai-agents-js", from: "examples/basic", command: tsx("index.ts") },
  { folder: "notebook", command: notebook },
  { folder: "llm-anthropic", command: python("-m", "pytest", "tests", "-q", "--disable-recording") },
  { folder: "pydantic-ai", command: python("-m", "pydantic_ai_examples.pydantic_model") },
];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { program: { type: "string", default: join(distDir, "cli.js") } },
});
const [given] = positionals;
if (given === undefined || !existsSync(given)) {
  console.error("Say where the projects lie: npm run real-projects -- DIR");
  process.exit(2);
}
const dir = resolve(given);
const temporary = mkdtempSync(join(tmpdir(), "tapedeck-real-projects-"));
const { server, url } = await startAnswering(values.program, temporary);
console.log(row("project", ["calls", "recorded", "replayed", "missed", "exits"]));
for (const { folder, from = "", command } of PROJECTS) {
  const cwd = join(dir, folder, from);
  if (!existsSync(cwd)) continue;
  const where = { url, cwd, temporary, dir: join(temporary, folder, ".tapedeck"), program: values.program };
  if (!recordAndReplay(folder, command(join(dir, folder), cwd), where)) process.exitCode = 1;
}
const absent = PROJECTS.filter(({ folder, from = "" }) => !existsSync(join(dir, folder, from)));
if (absent.length === PROJECTS.length) process.exitCode = 1;
if (absent.length > 0)
  console.log(`Not there: ${absent.map(({ folder, from = "" }) => join(folder, from)).join(", ")}`);
server.kill();
rmSync(temporary, { recursive: true, force: true });

/** @param {readonly string[]} args */
function python(...args) {
  return (/** @type {string} */ project) => [pythonOf(project), ...args];
}

/** @param {string} project */
function pythonOf(project) {
  const own = join(
    project,
    ".venv",
    ...(process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"]),
  );
  return existsSync(own) ? own : "python3";
}

/**
 * Runs a script with tsx from its package or from the workspace around it.
 * @param {readonly string[]} scripts; the first one that exists is used
 */
function tsx(...scripts) {
  return (/** @type {string} */ project, /** @type {string} */ cwd) => {
    const folders = [cwd, join(cwd, ".."), project].map((folder) => join(folder, "node_modules", "tsx"));
    const found = folders.find((folder) => existsSync(folder)) ?? "tsx";
    const script = scripts.find((name) => existsSync(join(cwd, name))) ?? scripts.join(" or ");
    return [process.execPath, join(found, "dist", "cli.mjs"), script];
  };
}

/** @param {string} project */
function notebook(project) {
  const file = readdirSync(project).find((name) => name.endsWith(".ipynb")) ?? "*.ipynb";
  return [pythonOf(project), "-m", "nbconvert", "--to", "notebook", "--execute", "--stdout", file];
}
