// npm run real-systems [-- --system WORDS --sources DIR --python PROGRAM --program FILE]: runs the Python examples of
// docs/systems with the real packages of the five systems under `tapedeck run`. A server on this machine gives the same
// answer to every call of the recorded run; then the run is strict. Prints the outcomes of the calls, and how many
// connections left the machine, counted by strace. A missing system is named with the reason. Exits with 1 unless every
// call is replayed and stays on the machine. pip installs packages once, into node_modules/.cache.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pythonWith } from "./checks/python-with.mjs";
import { recordAndReplay, row, startAnswering } from "./checks/recorded-twice.mjs";
import { distDir, rootDir } from "./host/paths.mjs";

const AGENTSCOPE = [
  "agentscope==1.0.21",
  "openai<2",
  "anthropic<1",
  "mcp<2",
  "greenlet",
  "tqdm",
  "json_repair==0.50.0",
];
const OPENMANUS = ["openai", "tenacity", "pydantic", "tiktoken", "loguru", "boto3"];
const MIROFLOW = [
  "openai",
  "anthropic<1",
  "omegaconf",
  "tenacity",
  "tiktoken",
  "colorama",
  "json_repair==0.50.0",
];

const METAGPT = [
  "openai~=1.64.0",
  "tenacity==8.2.3",
  "anthropic==0.47.2",
  "httpx<0.28",
  "pydantic",
  "loguru",
  "tiktoken",
  "PyYAML",
  "aiohttp",
  "aiofiles",
  "chardet",
  "pillow",
  "requests",
  "pandas",
  "playwright",
];

/** `missed` counts the calls that are missing by the page of the system. @type {readonly { name: string, packages: readonly string[], sources?: string, missed?: number }[]} */
const SYSTEMS = [
  { name: "kosong", packages: ["kosong==0.55.0"] },
  { name: "agentscope", packages: AGENTSCOPE },
  { name: "openmanus", packages: OPENMANUS, sources: "OpenManus" },
  { name: "miroflow", packages: MIROFLOW, sources: "MiroThinker" },
  { name: "metagpt", packages: METAGPT, sources: "MetaGPT", missed: 1 },
];

const { values } = parseArgs({
  options: {
    system: { type: "string", default: "" },
    sources: { type: "string", default: "" },
    python: { type: "string", default: "python3" },
    program: { type: "string", default: join(distDir, "cli.js") },
  },
});
const chosen = SYSTEMS.filter(({ name }) => name.includes(values.system));
if (chosen.length === 0) {
  console.error(
    `There is no system "${values.system}". There are ${SYSTEMS.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}
const temporary = mkdtempSync(join(tmpdir(), "tapedeck-real-systems-"));
const watches = spawnSync("strace", ["-V"]).status === 0;
if (!watches) console.log("Connections are not counted: install strace.");
const { server, url } = await startAnswering(values.program, temporary);
console.log(row("system", ["calls", "recorded", "replayed", "missed", "outside", "exits"]));
for (const system of chosen) if (!runSystem(system)) process.exitCode = 1;
server.kill();
rmSync(temporary, { recursive: true, force: true });

/** Returns whether all calls were replayed on this machine. @param {(typeof SYSTEMS)[number]} system */
function runSystem({ name, packages, sources, missed = 0 }) {
  const folder = sources === undefined ? undefined : resolve(values.sources, sources);
  if (folder !== undefined && !existsSync(join(folder))) {
    console.log(
      `${name}: not run; it is in no registry, and there is no ${folder}: name its folder with --sources`,
    );
    return false;
  }
  const { interpreter, failure } = pythonWith(packages, values.python);
  if (interpreter === undefined) {
    console.log(`${name}: not run; ${failure}`);
    return false;
  }
  const data = join(rootDir, "node_modules", "gpt-tokenizer", "data");
  const example = join(temporary, `${name}_example.py`);
  writeFileSync(example, exampleOf(name));
  const story = join(rootDir, "test", "systems", `${name}_story.py`);
  const command = folder === undefined ? [interpreter, example] : [interpreter, story, example, folder, data];
  const traces = join(temporary, `${name}.trace`);
  const before = watches ? ["strace", "-f", "-ff", "-e", "trace=connect", "-o", traces] : [];
  const dir = join(temporary, name);
  const where = { url, cwd: temporary, temporary, dir, program: values.program, before, missed };
  return recordAndReplay(name, command, where, () => (watches ? connectionsOutside(traces) : "–"));
}

/** The example in Python of a system's page. @param {string} name */
function exampleOf(name) {
  const page = readFileSync(join(rootDir, "docs", "systems", `${name}.md`), "utf8");
  return /^```python\n([^]*?)^```$/mu.exec(page)?.[1] ?? "";
}

/**
 * Returns how many connections of the run's processes left the machine.
 * @param {string} traces
 */
function connectionsOutside(traces) {
  const files = readdirSync(temporary).filter((name) => join(temporary, name).startsWith(`${traces}.`));
  const lines = files.flatMap((name) => readFileSync(join(temporary, name), "utf8").split("\n"));
  const remote = lines.filter((line) => line.includes("AF_INET") && !/"127\.|"::1"|"::ffff:127\./.test(line));
  return remote.length;
}
