// Runs programs of other projects under Tapedeck, with a provider that answers every call, and reads the run's report.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

const MOST_MS = 600_000;
const MOST_BYTES = 1 << 28;
const LAST_LINES = 8;
/** The line with which Tapedeck's report of a run begins. */
const SUMMARY = /^\d+ (?:replayed|refused) · /mu;
const PROVIDERS = ["openai", "anthropic", "gemini", "moonshot"];
const KEYS = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"];

/** @typedef {{ cwd: string, temporary: string, dir: string, program: string, before?: readonly string[] }} Where */

/**
 * Records the calls of a command, replays them in strict mode, and prints a line with the outcomes. `before` is a command
 * that starts and watches the strict run. Returns whether calls were made, all but the expected ones were replayed on this
 * machine, and the command ended with the same code.
 * @param {string} name @param {readonly string[]} command
 * @param {Where & { url: string, missed?: number }} where `url` is of the server that replaces the providers
 * @param {() => number | string} [outside] returns the connections of the strict run that left the machine
 */
export function recordAndReplay(name, command, { url, before = [], missed = 0, ...where }, outside) {
  const upstreams = PROVIDERS.flatMap((one) => ["--upstream", `${one}=${url}/${one}`]);
  const recorded = runUnder(["--mode", "record", ...upstreams], command, where);
  const replayed = runUnder([], command, { ...where, before });
  if (recorded === undefined || replayed === undefined) {
    console.log(`✘ ${name}: ${command.join(" ")} could not be run`);
    return false;
  }
  const { counts } = replayed;
  const left = outside === undefined ? [] : [outside()];
  const isSame = missed > 0 || recorded.command === replayed.command;
  const isReplayed = recorded.requests > 0 && counts.miss === missed && counts.refused === 0;
  const isGood = isSame && isReplayed && !left.some((count) => Number(count) > 0);
  const figures = [recorded.requests, recorded.counts.recorded, counts.replayed, counts.miss, ...left];
  console.log(row(`${isGood ? "✔" : "✘"} ${name}`, [...figures, `${recorded.command}, ${replayed.command}`]));
  if (recorded.requests === 0) console.log(`No call was made by ${command.join(" ")}:\n${recorded.output}`);
  else if (!isGood)
    console.log([...replayed.findings.map(({ message }) => message), replayed.output].join("\n"));
  return isGood;
}

/** A line of the table. @param {string} name @param {readonly (string | number)[]} figures */
export function row(name, figures) {
  return [name.padEnd(24), ...figures.map((one) => String(one).padStart(9))].join("");
}

/**
 * Returns the report of a run, or undefined without one.
 * @param {readonly string[]} options @param {readonly string[]} command @param {Where} where
 * @returns {{ requests: number, counts: { recorded: number, replayed: number, miss: number, refused: number }, findings: readonly { message: string }[], command: number, output: string } | undefined}
 */
function runUnder(options, command, { cwd, temporary, dir, program, before = [] }) {
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
