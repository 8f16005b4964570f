import { spawn, type ChildProcess } from "node:child_process";
import * as vscode from "vscode";
import type { TestCommand } from "../tests/run-one-model.ts";

/** One run of a command in a terminal of its own. */
export interface TestTerminal {
  /** The exit code; undefined where it was stopped. */
  readonly ended: Promise<number | undefined>;
  /** Writes below the command's own output. Line feeds alone are enough. */
  write(text: string): void;
  stop(): void;
}

export interface TerminalOptions {
  readonly name: string;
  readonly icon: string;
  readonly command: TestCommand;
  readonly header: string;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Time for a runner that was asked to stop to write what it has. */
const PATIENCE_MS = 3_000;

/** Keeps one terminal a name, so that running a test again does not pile them up. */
const terminals = new Map<string, vscode.Terminal>();

/**
 * Runs a command in a terminal that does not take the focus. The process is ours and not the terminal's:
 * a terminal would put the workspace's own variables over the run's, and close with the process.
 */
export function runInTerminal(options: TerminalOptions): TestTerminal {
  const output = new vscode.EventEmitter<string>();
  const closed = new vscode.EventEmitter<void>();
  const write = (text: string): void => output.fire(text.replace(/\r?\n/g, "\r\n"));
  const opened = new Signal();
  const running = { child: undefined as ChildProcess | undefined, stopped: false, over: false };

  const stop = (): void => {
    running.stopped = true;
    if (running.child) kill(running.child, "SIGINT");
    setTimeout(() => {
      if (!running.over && running.child) kill(running.child, "SIGKILL");
    }, PATIENCE_MS).unref();
  };
  const pty: vscode.Pseudoterminal = {
    onDidWrite: output.event,
    onDidClose: closed.event,
    open: () => opened.happen(),
    close: () => {
      opened.happen();
      stop();
    },
    handleInput(data) {
      if (data === "\u0003") stop();
      else if (running.over) closed.fire();
      else running.child?.stdin?.write(data.replace(/\r/g, "\n"));
    },
  };
  terminals.get(options.name)?.dispose();
  const iconPath = new vscode.ThemeIcon(options.icon);
  const terminal = vscode.window.createTerminal({ name: options.name, pty, iconPath, isTransient: true });
  terminals.set(options.name, terminal);
  terminal.show(true);

  const ended = opened.happened.then(() => {
    write(options.header);
    return start(options, running, write);
  });
  void ended.then(() => (running.over = true));
  return { ended, write, stop };
}

function start(
  { command: { command, args, cwd }, environment }: TerminalOptions,
  running: { child: ChildProcess | undefined; stopped: boolean },
  write: (text: string) => void,
): Promise<number | undefined> {
  if (running.stopped) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { FORCE_COLOR: "1", ...environment },
      detached: process.platform !== "win32", // a group of its own, so that stopping it takes its workers along
      windowsHide: true,
    });
    running.child = child;
    child.stdout.setEncoding("utf8").on("data", write);
    child.stderr.setEncoding("utf8").on("data", write);
    child.once("error", (error) => {
      write(
        `\n${command} could not be started: ${error.message}\nThe setting tapedeck.testCommand says how to run one test.\n`,
      );
      resolve(running.stopped ? undefined : 127);
    });
    child.once("close", (code) => resolve(running.stopped ? undefined : (code ?? 1)));
  });
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // it has ended by itself
  }
}

/** Something that happens once and can be waited for. */
class Signal {
  happen: () => void = () => {};
  readonly happened = new Promise<void>((resolve) => (this.happen = resolve));
}
