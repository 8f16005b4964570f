import { spawn, type ChildProcess } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { onTestFinished } from "vitest";
import { program } from "./built-program.ts";
import { plainEnvironment, type Finished, type Place, type Ready, type Served } from "./tapedeck.ts";

interface ProcessPlace extends Place {
  /** The Node that runs it; the one that runs the tests where none is given. */
  readonly node?: string;
  /** A program and its arguments under which this one is started, e.g. to take rights away from it. */
  readonly under?: readonly string[];
}

/** Runs the program as it ships, in a process, to its end. */
export async function tapedeckProcess(args: readonly string[], place: ProcessPlace): Promise<Finished> {
  return finished(start(args, place));
}

/** Starts `serve` in a process and resolves when it accepts connections; ended with the test at the latest. */
export async function servingProcess(args: readonly string[], place: ProcessPlace): Promise<Served> {
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
export function start(args: readonly string[], place: ProcessPlace): ChildProcess {
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
