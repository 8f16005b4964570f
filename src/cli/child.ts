import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { constants } from "node:os";
import process from "node:process";
import { tapedeckError, type TapedeckError } from "../core/errors.ts";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/**
 * Runs a command with this process's streams and resolves to its exit code, 128 and the number of the signal where
 * one ended it. Signals that reach us reach it.
 * @throws TapedeckError where it cannot be started.
 */
export function runChild(command: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [file = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = start(file, args, { env, stdio: "inherit" });
    const stopForwarding = forwardSignals(child);
    child.once("error", (error) => {
      stopForwarding();
      reject(cannotStart(file, error));
    });
    child.once("exit", (code, signal) => {
      stopForwarding();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function forwardSignals(child: ChildProcess): () => void {
  const forward = (signal: NodeJS.Signals): void => {
    // A terminal gives Ctrl+C to all of its programs; a second one would cut their cleaning up short.
    if (signal === "SIGINT" && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  return () => {
    for (const signal of FORWARDED) process.off(signal, forward);
  };
}

function cannotStart(file: string, cause: NodeJS.ErrnoException): TapedeckError {
  const why = cause.code === "ENOENT" ? "there is no such command" : (cause.code ?? cause.message);
  return tapedeckError("tapedeck_refused", `"${file}" could not be started: ${why}.`, {
    hint: "Give the command and its arguments after --, as you would type them.",
    cause,
  });
}

/** On Windows npm and its like are scripts, which only the command interpreter can start. */
function start(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  if (process.platform !== "win32" || /\.(?:exe|com)$/i.test(file)) return spawn(file, args, options);
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
