import { EventEmitter, once } from "node:events";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { rootDir } from "../../scripts/host/paths.mjs";
import { main } from "../../src/cli/main.ts";
import { setTranslations, setProgramName } from "../../src/core/base/localize.ts";
import { wantsColor, createWriters, type Terminal } from "../../src/cli/terminal.ts";

/** A folder of a project's own for the time of the test, with these files. */
export function aProject(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
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

export interface Place {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Typed answers, one for each question; without it there is no terminal. */
  readonly answers?: readonly string[];
  /** The program's file. Default: that of this checkout. */
  readonly program?: string;
}

/** Runs a command line to its end, in this process: `a-process.ts` has the program as it ships. */
export async function tapedeck(args: readonly string[], place: Place): Promise<Finished> {
  return aRun(args, place).ended;
}

export interface Served {
  readonly ready: Ready;
  readonly pid: number;
  /** The next line on standard output, parsed. */
  nextLine(): Promise<Readonly<Record<string, unknown>>>;
  /** Returns the standard error output so far. */
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

/** Starts `serve` in this process and resolves when it accepts connections; ended with the test at the latest. */
export async function serving(args: readonly string[], place: Place): Promise<Served> {
  const { ended, signals, output, read } = aRun(["serve", ...args], place);
  let told = 0;
  let hasEnded = false;
  void ended.finally(() => {
    hasEnded = true;
    output.emit("text");
  });
  const nextLine = async (): Promise<Readonly<Record<string, unknown>>> => {
    for (;;) {
      const line = read("out").split("\n").slice(0, -1)[told];
      if (line !== undefined) {
        told += 1;
        return JSON.parse(line) as Readonly<Record<string, unknown>>;
      }
      if (hasEnded) throw new Error(`The program ended: ${read("err")}`);
      await once(output, "text");
    }
  };
  const end = (signal: NodeJS.Signals = "SIGTERM"): Promise<Finished> => {
    signals.emit(signal, signal);
    return ended;
  };
  onTestFinished(async () => void (await end()));
  const ready = (await nextLine()) as unknown as Ready;
  return { ready, pid: process.pid, nextLine, stderr: () => read("err"), end };
}

interface Running {
  readonly ended: Promise<Finished>;
  readonly signals: EventEmitter;
  /** Says "text" when the program itself wrote to its standard output. */
  readonly output: EventEmitter;
  readonly read: (stream: "out" | "err") => string;
}

/** The streams are files, so that a command which is run can have them as well. */
function aRun(args: readonly string[], { cwd, env: own = {}, answers, program }: Place): Running {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-streams-"));
  const [out, err] = [openSync(join(folder, "out"), "a"), openSync(join(folder, "err"), "a")];
  const read = (stream: "out" | "err"): string => readFileSync(join(folder, stream), "utf8");
  const signals = new EventEmitter();
  const output = new EventEmitter();
  const env = { ...plainEnvironment(), ...own };
  const color = wantsColor(env, false);
  const terminal: Terminal = {
    ...createWriters(
      (text) => {
        writeSync(out, text);
        output.emit("text");
      },
      (text) => void writeSync(err, text),
    ),
    color: { out: color, err: color },
    env,
    cwd,
    program: program ?? join(rootDir, "dist", "cli.js"),
    signals,
    hasKeyboard: false,
    ...(answers && { ask: asking([...answers], (text) => void writeSync(err, text)) }),
    streams: ["ignore", out, err],
    now: () => Date.now(),
  };
  const ended = main(args, terminal).then((code) => {
    // Other tests of this process are in English, and of the npm package.
    setTranslations(undefined);
    setProgramName("npx tapedeck");
    const [stdout, stderr] = [read("out"), read("err")];
    closeSync(out);
    closeSync(err);
    return { code, signal: null, stdout, stderr };
  });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { ended, signals, output, read };
}

let stateFolder: string | undefined;

/** In the place of the user's own: what the program remembers on a machine. */
function stateHome(): string {
  if (stateFolder === undefined) {
    const folder = mkdtempSync(join(tmpdir(), "tapedeck-state-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    stateFolder = folder;
  }
  return stateFolder;
}

function asking(answers: string[], write: (text: string) => void): NonNullable<Terminal["ask"]> {
  return async (question) => {
    const answer = answers.shift() ?? "";
    write(`${question}${answer}\n`);
    return answer;
  };
}

/** Nothing of the machine that runs the tests: no keys, no addresses, no hooks, no wish for colors. */
export function plainEnvironment(): Record<string, string> {
  const kept = ["PATH", "HOME", "TMPDIR", "SystemRoot", "TEMP", "ComSpec", "PATHEXT"];
  const own = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { ...Object.fromEntries(own), XDG_STATE_HOME: stateHome() };
}
