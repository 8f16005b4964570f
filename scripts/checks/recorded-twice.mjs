// Runs programs of other projects under Tapedeck, with a provider that answers every call, and reads the run's report.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const MOST_MS = 600_000;
const MOST_BYTES = 1 << 28;
const LAST_LINES = 8;
/** The line with which Tapedeck's report of a run begins. */
const SUMMARY = /^\d+ (?:replayed|refused) · /mu;
const KEYS = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"];

/**
 * Returns the report of a run, or undefined without one. `before` is a command that starts and watches the program.
 * @param {readonly string[]} options @param {readonly string[]} command
 * @param {{ cwd: string, temporary: string, dir: string, program: string, before?: readonly string[] }} where
 * @returns {{ requests: number, counts: { recorded: number, replayed: number, miss: number }, command: number, output: string } | undefined}
 */
export function runUnder(options, command, { cwd, temporary, dir, program, before = [] }) {
  const env = {
    ...process.env,
    ...Object.fromEntries(KEYS.map((key) => [key, "none-is-needed"])),
    XDG_STATE_HOME: temporary,
  };
  const args = [program, "run", "--json", "--dir", dir, ...options, "--", ...command];
  const [first = "", ...rest] = [...before, process.execPath, ...args];
  const { stdout, stderr } = spawnSync(first, rest, {
    cwd,
    env,
    encoding: "utf8",
    timeout: MOST_MS,
    maxBuffer: MOST_BYTES,
  });
  // The last output of the command can be the end of a color, without a line end.
  const [, report] = /^.*(\{"event":"report".*)$/mu.exec(stdout) ?? [];
  return report === undefined
    ? undefined
    : { ...JSON.parse(report), output: lastLines(`${stderr.split(SUMMARY)[0]}\n${stdout}`) };
}

/** Returns the last line of the command, without Tapedeck's lines. @param {string} text */
function lastLines(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.includes('{"event":'));
  return lines.slice(-LAST_LINES).join("\n");
}

/**
 * Starts a server that replaces the providers: lenient mode answers every request in the provider's format.
 * @param {string} program @param {string} temporary
 */
export async function startAnswering(program, temporary) {
  const args = ["serve", "--mode", "lenient", "--default", "Fine.", "--dir", join(temporary, "none")];
  const serving = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface(serving.stdout))
    return { server: serving, url: JSON.parse(line).url };
  throw new Error(`${program} does not serve: npm run build`);
}
