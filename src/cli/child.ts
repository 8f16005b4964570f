import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { constants } from "node:os";
import process from "node:process";
import { tapedeckError, type TapedeckError } from "../core/errors.ts";
import { windowsCommand } from "../hooks/windows-command.ts";
import { forwardSignals, hasOwnGroup } from "./child-signals.ts";
import type { Terminal } from "./terminal.ts";

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Where its standard output goes: to our own, or to standard error where ours is for a document. */
  readonly output: "out" | "err";
  readonly terminal: Terminal;
}

/**
 * Runs a command with the terminal's streams and resolves to its exit code, 128 and the number of the signal where
 * one ended it. Signals that reach us reach it and all that it started.
 * @throws TapedeckError where it cannot be started.
 */
export async function runChild(
  command: readonly string[],
  { env, output, terminal }: ChildOptions,
): Promise<number> {
  const [file = "", ...args] = command;
  const [input, out, err] = terminal.streams;
  const stdio: SpawnOptions["stdio"] = [input, output === "out" ? out : err, err];
  const child = start(file, args, { cwd: terminal.cwd, env, stdio, detached: hasOwnGroup(terminal) });
  const forwarding = forwardSignals(child, terminal);
  try {
    return await exitCodeOf(child, file);
  } finally {
    await forwarding.stop();
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

function cannotStart(file: string, cause: NodeJS.ErrnoException): TapedeckError {
  const why = cause.code === "ENOENT" ? "there is no such command" : (cause.code ?? cause.message);
  return tapedeckError("tapedeck_refused", `"${file}" could not be started: ${why}.`, {
    hint: "Give the command and its arguments after --, as you would type them.",
    cause,
  });
}

/** On Windows npm and its like are scripts, which only the command interpreter can start; so are its own commands. */
function start(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  if (process.platform !== "win32" || /\.(?:exe|com)$/i.test(file)) return spawn(file, args, options);
  const found = windowsCommand(file, args, { env: options.env ?? {}, cwd: process.cwd() });
  if (found !== undefined)
    return spawn(found.file, found.args, { ...options, windowsVerbatimArguments: found.verbatim });
  const line = [file, ...args].map(quoteForWindows).join(" ");
  const interpreter = process.env["ComSpec"] ?? "cmd.exe";
  return spawn(interpreter, ["/d", "/s", "/c", `"${line}"`], { ...options, windowsVerbatimArguments: true });
}

/** Quotes for the program's own parser, then hides what the interpreter would act on. */
function quoteForWindows(text: string): string {
  if (/^[\w./\\:=@+-]+$/.test(text)) return text;
  const quoted = `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
  return quoted.replace(/[()%!^"<>&|]/g, "^$&");
}
