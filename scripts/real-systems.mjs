// npm run real-systems [-- --system WORDS --sources DIR --python PROGRAM --program FILE]: runs the Python examples of
// docs/systems with the real packages of the five systems under `tapedeck run`. A server on this machine gives the same
// answer to every call of the recorded run; then the run is strict. Prints the outcomes of the calls, and how many
// connections left the machine, counted by strace. A missing system is named with the reason. pip installs packages once,
// into the folder for temporary files.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { pythonWith } from "./checks/python-with.mjs";
import { runUnder, startAnswering } from "./checks/recorded-twice.mjs";
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

/** @type {readonly { name: string, packages: readonly string[], sources?: string }[]} */
const SYSTEMS = [
  { name: "kosong", packages: ["kosong==0.55.0"] },
  { name: "agentscope", packages: AGENTSCOPE },
  { name: "openmanus", packages: OPENMANUS, sources: "OpenManus" },
  { name: "miroflow", packages: MIROFLOW, sources: "MiroThinker" },
  { name: "metagpt", packages: METAGPT, sources: "MetaGPT" },
];

const { values } = parseArgs({
  options: {
    system: { type: "string", default: "" },
    sources: { type: "string", default: "" },
    python: { type: "string", default: "python3" },
    program: { type: "string", default: join(distDir, "cli.js") },
  },
});
const temporary = mkdtempSync(join(tmpdir(), "tapedeck-real-systems-"));
const watches = spawnSync("strace", ["-V"]).status === 0;
if (!watches) console.log("Connections are not counted: install strace.");
const { server, url } = await startAnswering(values.program, temporary);
console.log(row("system", ["calls", "recorded", "replayed", "missed", "outside", "exits"]));
for (const system of SYSTEMS) if (system.name.includes(values.system)) tellSystem(system);
server.kill();
rmSync(temporary, { recursive: true, force: true });

/** @param {(typeof SYSTEMS)[number]} system */
function tellSystem({ name, packages, sources }) {
  const folder = sources === undefined ? undefined : resolve(values.sources, sources);
  if (folder !== undefined && !existsSync(join(folder))) {
    console.log(
      `${name}: not run; it is in no registry, and there is no ${folder}: name its folder with --sources`,
    );
    return;
  }
  const { interpreter, failure } = pythonWith(packages, values.python);
  if (interpreter === undefined) {
    console.log(`${name}: not run; ${failure}`);
    return;
  }
  const data = join(rootDir, "node_modules", "gpt-tokenizer", "data");
  const example = join(temporary, `${name}_example.py`);
  writeFileSync(example, exampleOf(name));
  const story = join(rootDir, "test", "systems", `${name}_story.py`);
  const command = folder === undefined ? [interpreter, example] : [interpreter, story, example, folder, data];
  const upstreams = ["openai", "anthropic", "moonshot"].flatMap((one) => [
    "--upstream",
    `${one}=${url}/${one}`,
  ]);
  const where = { cwd: temporary, temporary, dir: join(temporary, name), program: values.program };
  const recorded = runUnder(["--mode", "record", ...upstreams], command, where);
  const traces = join(temporary, `${name}.trace`);
  const before = watches ? ["strace", "-f", "-ff", "-e", "trace=connect", "-o", traces] : [];
  const replayed = runUnder([], command, { ...where, before });
  if (recorded === undefined || replayed === undefined) {
    console.log(`${name}: ${command.join(" ")} could not be run`);
    return;
  }
  const outside = watches ? connectionsOutside(traces) : "–";
  const { counts } = replayed;
  const figures = [recorded.requests, recorded.counts.recorded, counts.replayed, counts.miss, outside];
  console.log(row(name, [...figures, `${recorded.command}, ${replayed.command}`]));
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

/** @param {string} name @param {readonly (string | number)[]} figures */
function row(name, figures) {
  return [name.padEnd(22), ...figures.map((one) => String(one).padStart(9))].join("");
}
