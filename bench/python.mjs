// Measures what Tapedeck costs a Python process: CPU of its start and of each replayed call, as a multiple of the same
// without Tapedeck.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./median.mjs";
import { serveProvider } from "./suites/provider.mjs";

const here = import.meta.dirname;
const cli = join(here, "..", "dist", "cli.js");
/** A Python with the SDKs and pytest. */
const python = join(here, "suites", "node_modules", ".venv", "bin", "python");
const ROUNDS = 5;
const STARTS = 15;

/** Starts each program by turns, without and with the hooks, and prints the medians of their CPU in milliseconds. */
const MEASURE_STARTS = `import json, os, statistics, sys
programs = json.loads(sys.argv[1])
hooked = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
plain = {name: value for name, value in hooked.items() if name != "PYTHONPATH" and not name.startswith("TAPEDECK_")}
def start(args, env):
    process = os.posix_spawn(sys.executable, [sys.executable, *args], env, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    used = os.wait4(process, 0)[2]
    return (used.ru_utime + used.ru_stime) * 1000
plain["TAPEDECK_GUARD"] = "off"  # or this process's hooks would put theirs into the environment
times = {name: ([], []) for name in programs}
for _ in range(${STARTS + 1}):
    for name, args in programs.items():
        for env, kept in zip((plain, hooked), times[name]):
            kept.append(start(args, env))
print(json.dumps({name: [statistics.median(kept[1:]) for kept in pair] for name, pair in times.items()}))
`;

const PROGRAMS = {
  "an empty program": ["-c", "0"],
  "a program that imports ssl and http.client": ["-c", "import ssl, http.client"],
  "pytest without a test": ["-m", "pytest", "-q", "--co", "-p", "no:cacheprovider", "none.py"],
};

/** Prints the CPU of a call in milliseconds. The first calls also load modules that the SDK loads late. */
const MEASURE_CALLS = `import time
from openai import OpenAI
client = OpenAI()
TEXT = "The parcel left the warehouse on Monday and should reach the customer before the end of the week. " * 40
def ask(index):
    messages = [{"role": "user", "content": "%s [#%d]" % (TEXT, index)}]
    assert client.chat.completions.create(model="gpt-4o-mini", messages=messages).choices[0].message.content
    for event in client.chat.completions.create(model="gpt-4o-mini", messages=messages, stream=True): pass
for index in range(20): ask(index)
begun = time.process_time()
for index in range(20, 120): ask(index)
print((time.process_time() - begun) * 1000 / 200)
`;

/** Returns rows for the table: [what, figure, bound]. */
export async function pythonRows() {
  if (!existsSync(python))
    return [["Python", "not measured", "node bench/suites/install.mjs installs its packages"]];
  const home = mkdtempSync(join(tmpdir(), "tapedeck-python-"));
  const provider = await serveProvider();
  try {
    mkdirSync(join(home, "calls"));
    writeFileSync(join(home, "calls", "none.py"), "");
    writeFileSync(join(home, "calls", "starts.py"), MEASURE_STARTS);
    writeFileSync(join(home, "calls", "calls.py"), MEASURE_CALLS);
    const cwd = join(home, "calls");
    const run = (options, ...args) =>
      printed(cwd, ["node", cli, "run", ...options, "--", python, ...args], {});
    return [...(await startRows(run)), await callRow(cwd, run, provider.origin)];
  } finally {
    await provider.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function startRows(run) {
  const times = JSON.parse(await run([], "starts.py", JSON.stringify(PROGRAMS)));
  return Object.entries(times).map(([name, [plain, hooked]]) => [
    `start of ${name} in Python, CPU: times the start without hooks (ms, ms more)`,
    `${(hooked / plain).toFixed(2)} (${plain.toFixed(0)}, +${(hooked - plain).toFixed(1)})`,
    "at most 15 ms more",
  ]);
}

async function callRow(cwd, run, origin) {
  await run(["--mode", "record", "--upstream", `openai=${origin}`], "calls.py");
  const [direct, replayed] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const own = { OPENAI_BASE_URL: `${origin}/v1` };
    direct.push(Number(await printed(cwd, [python, "calls.py"], own)));
    replayed.push(Number(await run([], "calls.py")));
  }
  return [
    "a replayed call of OpenAI's SDK in Python, CPU of its process: times a direct call (ms)",
    `${(median(replayed) / median(direct)).toFixed(2)} (${median(direct).toFixed(2)})`,
    "at most 1.05",
  ];
}

/** Returns the last line that a command prints. */
async function printed(cwd, [program, ...args], env) {
  const child = spawn(program, args, { cwd, env: { ...process.env, OPENAI_API_KEY: "sk-bench", ...env } });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (bytes) => (output[name] += bytes));
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${output.stdout}${output.stderr}`);
  return output.stdout.trim().split("\n").at(-1);
}
