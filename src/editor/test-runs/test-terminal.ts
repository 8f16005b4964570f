import * as vscode from "vscode";
import type { TestCommand } from "../../test-discovery/run-one.ts";
import { removeMarkupFromLine } from "../window/messages-model.ts";
import { type TestEnd, type TestProcess, startTest } from "./test-process.ts";

interface TerminalOptions {
  /** A terminal replaces the previous one of its kind. */
  readonly kind: "record" | "replay";
  /** The workspace folder's address: each folder has its own terminals. */
  readonly folder: string;
  readonly name: string;
}

interface RunInTerminal {
  readonly command: TestCommand;
  /** Text above the output. */
  readonly header: string;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stops the command. */
  readonly stopped: AbortSignal;
}

/** Maximum characters of a test's output that are kept. */
const KEPT = 262_144;
const CTRL_C = "\u0003";
const ICONS = { record: "record", replay: "play" } as const;
/** By folder and kind. */
const terminals = new Map<string, vscode.Terminal>();

/**
 * A terminal in which tests run, one after another. It opens without taking the focus. The extension starts the
 * processes, not the terminal, because a terminal would override the run's variables with those of the workspace, and
 * close when the process ends.
 */
export class TestTerminal {
  readonly #texts = new vscode.EventEmitter<string>();
  readonly #closed = new vscode.EventEmitter<void>();
  readonly #terminal: vscode.Terminal;
  readonly #opened: Promise<vscode.TerminalDimensions | undefined>;
  #test: TestProcess | undefined;
  #output = "";
  #isOpen = true;

  constructor(options: TerminalOptions) {
    let resolve: (dimensions: vscode.TerminalDimensions | undefined) => void = () => undefined;
    this.#opened = new Promise((opened) => (resolve = opened));
    this.#terminal = show(options, {
      onDidWrite: this.#texts.event,
      onDidClose: this.#closed.event,
      open: (dimensions) => resolve(dimensions),
      close: () => {
        this.#isOpen = false;
        this.#test?.stop();
        resolve(undefined);
      },
      handleInput: (keys) => {
        if (this.#test === undefined) this.#closed.fire();
        else if (keys === CTRL_C) this.#test.stop();
      },
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The last part of the last command's output. */
  get output(): string {
    return this.#output;
  }

  /** Runs a command. Resolves when it ends. Never rejects. */
  async run({ command, header, environment, stopped }: RunInTerminal): Promise<TestEnd> {
    const dimensions = await this.#opened;
    if (!this.#isOpen || stopped.aborted) return { how: "stopped" };
    this.#output = "";
    this.write(header);
    const test = startTest({
      command,
      environment: { ...forTerminal(environment, dimensions), ...environment },
      write: (text) => {
        this.#output = (this.#output + text).slice(-KEPT);
        this.write(text);
      },
    });
    this.#test = test;
    const stop = (): void => test.stop();
    stopped.addEventListener("abort", stop, { once: true });
    const end = await test.ended;
    stopped.removeEventListener("abort", stop);
    this.#test = undefined;
    return end;
  }

  /** Writes below the output. Accepts line feeds without carriage returns. */
  write(text: string): void {
    this.#texts.fire(text.replace(/\r?\n/g, "\r\n"));
  }

  /** Shows the terminal without taking the focus. */
  show(): void {
    this.#terminal.show(true);
  }
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
