// npm run record-demo: records the sample workspace again, from its tests and the practice upstream. Then removes one
// recording (a missing call) and makes another one with an older prompt (a stale recording).
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { startUpstream } from "../demo/upstream/server.mjs";
import { demoWorkspace, distDir, rootDir } from "./host/paths.mjs";

/** The text in the sources, and the text when the stale recording was made. */
const prompt = {
  file: "src/summarize.ts",
  now: "Summarize the ticket in one sentence. Keep order and invoice numbers.",
  before: "Summarize the ticket in one sentence.",
};
/** Words that only the call without a recording has. */
const missing = "Cannot log in";
const expectedMisses = 2;

const suites = [
  [process.execPath, "node_modules/vitest/vitest.mjs", "run"],
  [process.platform === "win32" ? "python" : "python3", "-m", "unittest", "discover", "tests"],
];

const home = mkdtempSync(join(tmpdir(), "tape-record-"));
const upstream = await startUpstream({ delayMs: 5 });
try {
  const copy = join(home, "support-desk");
  const skipped = new Set(["node_modules", ".tapedeck", "__pycache__"]);
  cpSync(demoWorkspace, copy, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  symlinkSync(join(rootDir, "node_modules"), join(copy, "node_modules"), "junction");

  replaceIn(join(copy, prompt.file), prompt.now, prompt.before);
  for (const suite of suites) expectCode(await tapedeck(copy, "record", suite), 0, suite);
  replaceIn(join(copy, prompt.file), prompt.before, prompt.now);
  removeRecording(join(copy, ".tapedeck"), missing);

  const [typescript = []] = suites;
  expectCode(await tapedeck(copy, "strict", typescript), 1, typescript);
  const target = join(demoWorkspace, ".tapedeck", "calls");
  rmSync(target, { recursive: true, force: true });
  cpSync(join(copy, ".tapedeck", "calls"), target, { recursive: true });
  const count = recordings(target).length;
  console.log(`${count} recordings in demo/workspace/.tapedeck; the tests miss ${expectedMisses}.`);
} finally {
  await upstream.close();
  rmSync(home, { recursive: true, force: true });
}

/** @param {string} cwd @param {string} mode @param {readonly string[]} suite @returns {Promise<number>} */
function tapedeck(cwd, mode, suite) {
  const upstreams = ["openai", "anthropic"].flatMap((name) => ["--upstream", `${name}=${upstream.origin}`]);
  const args = [join(distDir, "cli.js"), "run", "--mode", mode, ...upstreams, "--", ...suite];
  // SDKs refuse to start without a key; the practice upstream accepts any key.
  const env = { ...process.env, OPENAI_API_KEY: "any-key-will-do", ANTHROPIC_API_KEY: "any-key-will-do" };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env, stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** @param {number} code @param {number} expected @param {readonly string[]} suite */
function expectCode(code, expected, suite) {
  if (code !== expected) throw new Error(`"${suite.join(" ")}" ended with ${code}, not with ${expected}.`);
}

/** @param {string} file @param {string} from @param {string} to */
function replaceIn(file, from, to) {
  const text = readFileSync(file, "utf8");
  if (!text.includes(from)) throw new Error(`${file} does not say "${from}".`);
  writeFileSync(file, text.replace(from, to));
}

/** @param {string} folder @param {string} words */
function removeRecording(folder, words) {
  const found = recordings(folder).filter((file) => readFileSync(file, "utf8").includes(words));
  const [only] = found;
  if (!only || found.length > 1) throw new Error(`${found.length} recordings say "${words}".`);
  rmSync(only);
}

/** @param {string} folder */
function recordings(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(folder, name));
}
