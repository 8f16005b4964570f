import * as vscode from "vscode";
import type { TestCommand } from "../test-discovery/run-one-model.ts";
import { plainLine } from "../window/messages-model.ts";
import { type Batch, addToTranscript } from "./batch-model.ts";
import { type TestEnd, type TestProcess, startTest } from "./test-process.ts";

/** One run of a command in a terminal of its own. */
export interface TestTerminal {
  /** Never rejects. */
  readonly ended: Promise<TestEnd>;
  /** The end of what the command wrote. */
  readonly output: () => string;
  /** Writes below the command's own output. Line feeds alone are enough. */
  write(text: string): void;
  /** Brings it to the front; not the focus. */
  show(): void;
  stop(): void;
}

interface TerminalOptions {
  /** A run takes the terminal of the one before of its kind, so that they do not pile up. */
  readonly kind: "record" | "replay";
  /** The workspace folder's address: each folder has its own terminals. */
  readonly folder: string;
  readonly name: string;
  readonly command: TestCommand;
  readonly header: string;
  /** Of several runs after one another: what those before said stands above. */
  readonly batch?: Batch | undefined;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
}

/** So much of what a test wrote is looked at afterwards. */
const KEPT = 262_144;
const CTRL_C = "\u0003";
const ICONS = { record: "record", replay: "play" } as const;
/** By folder and kind. */
const terminals = new Map<string, vscode.Terminal>();

/**
 * Runs a command in a terminal that does not take the focus. The process is ours and not the terminal's:
 * a terminal would put the workspace's own variables over the run's, and close with the process.
 */
export function runInTerminal(options: TerminalOptions): TestTerminal {
  const output = new vscode.EventEmitter<string>();
  const closed = new vscode.EventEmitter<void>();
  const write = (text: string): void => {
    const lines = text.replace(/\r?\n/g, "\r\n");
    if (options.batch) addToTranscript(options.batch, lines);
    output.fire(lines);
  };
  let test: TestProcess | undefined;
  const said = keepEnd();
  let terminal: vscode.Terminal | undefined;
  let isStopped = false;
  let isOver = false;

  const stop = (): void => {
    isStopped = true;
    test?.stop();
  };
  const takeKeys = (keys: string): void => {
    if (isOver) closed.fire();
    else if (keys === CTRL_C) stop();
  };
  const ended = new Promise<TestEnd>((resolve) => {
    const begin = (dimensions?: vscode.TerminalDimensions): void => {
      if (isStopped) return resolve({ how: "stopped" });
      if (options.batch) output.fire(options.batch.transcript.join(""));
      write(options.header);
      const environment = { ...forTerminal(options.environment, dimensions), ...options.environment };
      test = startTest({ command: options.command, environment, write: (text) => write(said.keep(text)) });
      void test.ended.then(resolve);
    };
    const close = (): void => {
      stop();
      if (test === undefined) resolve({ how: "stopped" });
    };
    terminal = show(options, {
      onDidWrite: output.event,
      onDidClose: closed.event,
      open: begin,
      close,
      handleInput: takeKeys,
    });
  });
  void ended.then(() => (isOver = true));
  return { ended, write, stop, output: () => said.text(), show: () => terminal?.show(true) };
}

/** Remembers the end of what is written. */
function keepEnd(): { keep(text: string): string; text(): string } {
  let kept = "";
  return {
    keep(text) {
      kept = (kept + text).slice(-KEPT);
      return text;
    },
    text: () => kept,
  };
}

/** The new one comes before the old one goes: a panel that is empty for a moment would close. */
function show({ kind, folder, name }: TerminalOptions, pty: vscode.Pseudoterminal): vscode.Terminal {
  const iconPath = new vscode.ThemeIcon(ICONS[kind]);
  const terminal = vscode.window.createTerminal({ name: plainLine(name), pty, iconPath, isTransient: true });
  terminal.show(true);
  const place = `${folder} ${kind}`;
  terminals.get(place)?.dispose();
  terminals.set(place, terminal);
  return terminal;
}

/** What a program that writes to a pipe cannot find out: that there are colours, how wide it is, and who waits. */
function forTerminal(
  { NO_COLOR }: Readonly<Record<string, string>>,
  dimensions: vscode.TerminalDimensions | undefined,
): Record<string, string> {
  return {
    ...(NO_COLOR === undefined && { FORCE_COLOR: "1" }),
    ...(dimensions && { COLUMNS: String(dimensions.columns), LINES: String(dimensions.rows) }),
    PYTHONUNBUFFERED: "1",
  };
}
