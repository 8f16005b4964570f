import * as vscode from "vscode";
import type { TestCommand } from "../../test-discovery/run-one.ts";
import { removeMarkupFromLine } from "../window/messages-model.ts";
import { type Batch, addToTranscript } from "./batch-model.ts";
import { type TestEnd, type TestProcess, startTest } from "./test-process.ts";

/** One run of a command in a separate terminal. */
export interface TestTerminal {
  /** Never rejects. */
  readonly ended: Promise<TestEnd>;
  /** Returns the last part of the command's output. */
  readonly output: () => string;
  /** Writes below the command's output. Accepts line feeds without carriage returns. */
  write(text: string): void;
  /** Shows the terminal without taking the focus. */
  show(): void;
  stop(): void;
}

interface TerminalOptions {
  /** A run replaces the terminal of the previous run of its kind. */
  readonly kind: "record" | "replay";
  /** The workspace folder's address: each folder has its own terminals. */
  readonly folder: string;
  readonly name: string;
  readonly command: TestCommand;
  readonly header: string;
  /** The batch of the run, whose earlier output is shown first. */
  readonly batch?: Batch | undefined;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Maximum characters of a test's output that are kept. */
const KEPT = 262_144;
const CTRL_C = "\u0003";
const ICONS = { record: "record", replay: "play" } as const;
/** By folder and kind. */
const terminals = new Map<string, vscode.Terminal>();

/**
 * Runs a command in a terminal without taking the focus. The extension starts the process, not the terminal, because a
 * terminal would override the run's variables with those of the workspace, and close when the process ends.
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
  const kept = keepEnd();
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
      test = startTest({ command: options.command, environment, write: (text) => write(kept.keep(text)) });
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
  return { ended, write, stop, output: () => kept.text(), show: () => terminal?.show(true) };
}

/** Keeps the last part of the output. */
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

/** Opens the new terminal before it closes the old one, because an empty panel would close. */
function show({ kind, folder, name }: TerminalOptions, pty: vscode.Pseudoterminal): vscode.Terminal {
  const iconPath = new vscode.ThemeIcon(ICONS[kind]);
  const terminal = vscode.window.createTerminal({
    name: removeMarkupFromLine(name),
    pty,
    iconPath,
    isTransient: true,
  });
  terminal.show(true);
  const place = `${folder} ${kind}`;
  terminals.get(place)?.dispose();
  terminals.set(place, terminal);
  return terminal;
}

/** Variables that a program needs because it writes to a pipe: colors, size, and no buffering. */
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
