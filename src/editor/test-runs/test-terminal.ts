import * as vscode from "vscode";
import type { TestCommand } from "../../test-discovery/run-one.ts";
import { removeMarkupFromLine } from "../window/messages-model.ts";
import { type TestEnd, type TestProcess, startTest } from "./test-process.ts";

/** A terminal in which tests run, one after another. */
export type TestTerminal = ReturnType<typeof openTestTerminal>;

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
 * Opens a terminal without taking the focus. The extension starts the processes, not the terminal, because a terminal
 * would override the run's variables with those of the workspace, and close when the process ends.
 */
export function openTestTerminal(options: TerminalOptions) {
  const texts = new vscode.EventEmitter<string>();
  const closed = new vscode.EventEmitter<void>();
  const write = (text: string): void => texts.fire(text.replace(/\r?\n/g, "\r\n"));
  let test: TestProcess | undefined;
  let output = "";
  let isOpen = true;
  let terminal: vscode.Terminal | undefined;
  const opened = new Promise<vscode.TerminalDimensions | undefined>((resolve) => {
    terminal = show(options, {
      onDidWrite: texts.event,
      onDidClose: closed.event,
      open: resolve,
      close() {
        isOpen = false;
        test?.stop();
        resolve(undefined);
      },
      handleInput(keys) {
        if (test === undefined) closed.fire();
        else if (keys === CTRL_C) test.stop();
      },
    });
  });
  return {
    get isOpen() {
      return isOpen;
    },
    /** Runs a command. Resolves when it ends. Never rejects. */
    async run({ command, header, environment, stopped }: RunInTerminal): Promise<TestEnd> {
      const dimensions = await opened;
      if (!isOpen || stopped.aborted) return { how: "stopped" };
      output = "";
      write(header);
      const started = startTest({
        command,
        environment: { ...forTerminal(environment, dimensions), ...environment },
        write(text) {
          output = (output + text).slice(-KEPT);
          write(text);
        },
      });
      test = started;
      stopped.addEventListener("abort", started.stop, { once: true });
      const end = await started.ended;
      stopped.removeEventListener("abort", started.stop);
      test = undefined;
      return end;
    },
    /** Returns the last part of the last command's output. */
    output: () => output,
    /** Writes below the output. Accepts line feeds without carriage returns. */
    write,
    /** Shows the terminal without taking the focus. */
    show: () => terminal?.show(true),
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
