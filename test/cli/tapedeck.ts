import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { inject, onTestFinished } from "vitest";

/** The command line, built once for all tests: see `built-program.ts`. */
const program = inject("program");

/** A folder of a project's own for the time of the test, with these files. */
export function aProject(files: Readonly<Record<string, string>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tapedeck-project-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Place {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The Node that runs it; the one that runs the tests where none is given. */
  readonly node?: string;
  /** A program and its arguments under which this one is started, e.g. to take rights away from it. */
  readonly under?: readonly string[];
}

/** Runs the program to its end. */
export async function tapedeck(args: readonly string[], place: Place): Promise<Finished> {
  return finished(start(args, place));
}

export interface Served {
  readonly ready: Ready;
  readonly pid: number;
  /** The next line on standard output, parsed. */
  nextLine(): Promise<Readonly<Record<string, unknown>>>;
  /** What stands on standard error so far. */
  stderr(): string;
  /** Ends it and gives what it left. */
  end(signal?: NodeJS.Signals): Promise<Finished>;
}

export interface Ready {
  readonly event: string;
  readonly url: string;
  readonly pid: number;
  readonly mode: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts `serve` and resolves when it accepts connections; ended with the test at the latest. */
export async function serving(args: readonly string[], place: Place): Promise<Served> {
  const child = start(["serve", ...args], place);
  const ended = finished(child);
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const lines = linesOf(child);
  const nextLine = async (): Promise<Readonly<Record<string, unknown>>> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`The program ended: ${stderr}`);
    return JSON.parse(value) as Readonly<Record<string, unknown>>;
  };
  const ready = (await nextLine()) as unknown as Ready;
  return {
    ready,
    pid: child.pid ?? 0,
    nextLine,
    stderr: () => stderr,
    end(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

function linesOf(child: ChildProcess): AsyncIterator<string> {
  if (child.stdout === null) throw new Error("The program has no standard output.");
  const lines: Interface = createInterface({ input: child.stdout });
  return lines[Symbol.asyncIterator]();
}

/** Starts the program without waiting for anything. */
export function start(args: readonly string[], place: Place): ChildProcess {
  const { cwd, env = {}, under = [], node = process.execPath } = place;
  const [command = node, ...words] = [...under, node, program, ...args];
  const child = spawn(command, words, { cwd, env: { ...plainEnvironment(), ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

export function finished(child: ChildProcess): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code, signal) => done({ code, signal, stdout, stderr }));
  });
}

/** Nothing of the machine that runs the tests: no keys, no addresses, no hooks, no wish for colours. */
function plainEnvironment(): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "SystemRoot", "TEMP", "ComSpec", "PATHEXT"];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
