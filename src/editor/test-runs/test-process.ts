import { localize } from "../../core/base/localize.ts";
import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { createWindowsCommand } from "../../hooks/windows-command.ts";
import type { TestCommand } from "../../test-discovery/run-one.ts";

export type TestEnd =
  | { readonly how: "exited"; readonly code: number }
  | { readonly how: "stopped" }
  | { readonly how: "failed"; readonly reason: string };

/** The process of a test and its descendants, which end together. */
export type TestProcess = ReturnType<typeof startTest>;

interface ProcessOptions {
  readonly command: TestCommand;
  /** The complete environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly write: (text: string) => void;
}

/** Time for a runner to write its results after a stop request. */
const PATIENCE_MS = 3_000;
/** Time for the last output of a process to arrive, if a descendant keeps the output open. */
const LINGER_MS = 500;

type TestChild = ChildProcessByStdio<null, Readable, Readable>;

const isWindows = process.platform === "win32";
const running = new Set<TestChild>();

/** Kills all tests immediately, so that none outlives the editor. */
export function killAllTests(): void {
  for (const child of running) signal(child, "SIGKILL");
}

export function startTest({ command: { command, args, cwd }, environment, write }: ProcessOptions) {
  const found = isWindows ? createWindowsCommand(command, args, { env: environment, cwd }) : undefined;
  const child = spawn(found?.file ?? command, found?.args ?? args, {
    windowsVerbatimArguments: found?.verbatim === true,
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"], // a test that reads its input would wait forever
    detached: !isWindows, // its own process group, so that its workers stop, too
    windowsHide: true,
  });
  // Decodes characters that are split across two chunks.
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", write);
  let stopped = false;
  let patience: NodeJS.Timeout | undefined;
  running.add(child);
  const ended = waitForEnd(child, command).then((end): TestEnd => {
    clearTimeout(patience);
    signal(child, "SIGKILL"); // its remaining descendants
    running.delete(child);
    return stopped ? { how: "stopped" } : end;
  });
  return {
    /** Never rejects. Resolves after all its processes have ended. */
    ended,
    /** Stops it like Ctrl+C. After a timeout, or on the second request, it is killed. */
    stop() {
      if (!running.has(child)) return;
      signal(child, stopped ? "SIGKILL" : "SIGINT");
      stopped = true;
      patience ??= setTimeout(() => signal(child, "SIGKILL"), PATIENCE_MS).unref();
    },
  };
}

function waitForEnd(child: TestChild, command: string): Promise<TestEnd> {
  return new Promise((resolve) => {
    child.once("error", ({ message, code }: NodeJS.ErrnoException) => {
      const reason = code === "ENOENT" ? localize('the program "{0}" was not found', command) : message;
      resolve({ how: "failed", reason });
    });
    child.once("close", (code) => resolve({ how: "exited", code: code ?? 1 }));
    child.once("exit", (code) => {
      setTimeout(() => resolve({ how: "exited", code: code ?? 1 }), LINGER_MS).unref();
    });
  });
}

function signal({ pid }: TestChild, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    if (isWindows) spawnSync("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore" });
    else process.kill(-pid, name);
  } catch {
    // The group has already ended.
  }
}
