import { localize } from "../core/base/localize.ts";
import { spawn, type ChildProcess, type SpawnOptions, spawnSync } from "node:child_process";
import { constants } from "node:os";
import { createTapedeckError, type TapedeckError } from "../core/base/errors.ts";
import { quoteArgument, createWindowsCommand } from "../hooks/windows-command.ts";
import type { Terminal } from "./terminal.ts";

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Where the command's standard output goes: standard error if standard output is reserved for a document. */
  readonly output: "out" | "err";
  readonly terminal: Terminal;
  /** Called with the process ID after the start. */
  readonly onStart?: (pid: number) => void;
}

/**
 * Runs a command with the terminal's streams and resolves to its exit code, or to 128 plus the signal number if a
 * signal ended it. Signals are forwarded to the command and its descendants.
 * @throws TapedeckError if the command cannot be started.
 */
export async function runChild(
  command: readonly string[],
  { env, output, terminal, onStart }: ChildOptions,
): Promise<number> {
  const [file = "", ...args] = command;
  const [input, out, err] = terminal.streams;
  const stdio: SpawnOptions["stdio"] = [input, output === "out" ? out : err, err];
  const child = start(file, args, { cwd: terminal.cwd, env, stdio, detached: hasOwnGroup(terminal) });
  const stopForwarding = forwardSignals(child, terminal); // at once: an unhandled signal would leave the command behind
  try {
    if (child.pid !== undefined) onStart?.(child.pid);
    return await exitCodeOf(child, file);
  } finally {
    await stopForwarding();
  }
}

function exitCodeOf(child: ChildProcess, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(cannotStart(file, error)));
    child.once("exit", (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

const NOT_STARTED: Readonly<Record<string, string>> = {
  ENOENT: localize("there is no such command"),
  EACCES: localize("permission is denied for it, or for a folder in PATH"),
};

function cannotStart(file: string, cause: NodeJS.ErrnoException): TapedeckError {
  const { code = "", message } = cause;
  const why = NOT_STARTED[code] ?? message;
  return createTapedeckError("tapedeck_refused", localize('"{0}" could not be started: {1}.', file, why), {
    hint: localize("Write the command and its arguments after --, as you would type them."),
    cause,
  });
}

/** On Windows npm and its like are scripts, which only the command interpreter can start; so are its own commands. */
function start(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  if (process.platform !== "win32" || /\.(?:exe|com)$/i.test(file)) return spawn(file, args, options);
  const found = createWindowsCommand(file, args, { env: options.env ?? {}, cwd: process.cwd() });
  if (found !== undefined)
    return spawn(found.file, found.args, { ...options, windowsVerbatimArguments: found.verbatim });
  const line = [file, ...args].map(quoteForWindows).join(" ");
  const interpreter = process.env["ComSpec"] ?? "cmd.exe";
  return spawn(interpreter, ["/d", "/s", "/c", `"${line}"`], { ...options, windowsVerbatimArguments: true });
}

/** Quotes for the program's own parser, then hides what the interpreter would act on. */
function quoteForWindows(text: string): string {
  return /^[\w./\\:=@+-]+$/.test(text) ? text : quoteArgument(text).replace(/[()%!^"<>&|]/g, "^$&");
}

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Milliseconds that a command has to write its output after it received a signal. */
const PATIENCE_MS = 8_000;
/** Milliseconds that its descendants have to exit after the command itself. */
const LINGER_MS = 1_000;
const LOOK_AGAIN_MS = 25;

/**
 * Returns whether a command gets a separate process group. In a terminal it does not, because a terminal signals all
 * processes of its foreground group and lets only them read from it.
 */
function hasOwnGroup({ hasKeyboard }: Pick<Terminal, "hasKeyboard">): boolean {
  return process.platform !== "win32" && !hasKeyboard;
}

/**
 * Forwards signals to a command and its descendants. A command that keeps running is killed at the second signal, or
 * after `PATIENCE_MS`. For Ctrl+C in a terminal, which signals the command itself, it is killed at the third one.
 * Returns a function to call after the command has exited: it ends the rest of its process group if a signal came.
 */
function forwardSignals(child: ChildProcess, terminal: Terminal): () => Promise<void> {
  const { signals, hasKeyboard } = terminal;
  const isGroup = hasOwnGroup(terminal);
  let received = 0;
  let patience: NodeJS.Timeout | undefined;
  const forward = (signal: NodeJS.Signals): void => {
    received += 1;
    const fromTerminal = signal === "SIGINT" && hasKeyboard;
    if (received > (fromTerminal ? 2 : 1)) return end(child, "SIGKILL", isGroup);
    if (fromTerminal) return;
    end(child, signal, isGroup);
    patience ??= setTimeout(() => end(child, "SIGKILL", isGroup), PATIENCE_MS);
  };
  for (const signal of FORWARDED) signals.on(signal, forward);
  return async () => {
    if (received > 0 && isGroup) await clearGroup(child);
    clearTimeout(patience);
    for (const signal of FORWARDED) signals.off(signal, forward);
  };
}

async function clearGroup(child: ChildProcess): Promise<void> {
  end(child, "SIGTERM", true);
  const until = Date.now() + LINGER_MS;
  while (isGroupAlive(child) && Date.now() < until)
    await new Promise((done) => setTimeout(done, LOOK_AGAIN_MS));
  end(child, "SIGKILL", true);
}

function isGroupAlive({ pid }: ChildProcess): boolean {
  return pid !== undefined && attempt(() => process.kill(-pid, 0));
}

function end(child: ChildProcess, signal: NodeJS.Signals, isGroup: boolean): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (isGroup) attempt(() => process.kill(-pid, signal));
  else if (process.platform === "win32" && signal === "SIGKILL")
    spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" });
  else child.kill(signal);
}

/** Returns false if there is no process left to signal. */
function attempt(act: () => boolean): boolean {
  try {
    return act();
  } catch {
    return false;
  }
}
