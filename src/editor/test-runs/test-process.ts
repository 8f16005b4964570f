import { spawn, spawnSync, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { windowsCommand } from "../../hooks/windows-command.ts";
import type { TestCommand } from "../test-discovery/run-one-model.ts";

export type TestEnd =
  | { readonly how: "exited"; readonly code: number }
  | { readonly how: "stopped" }
  | { readonly how: "failed"; readonly reason: string };

/** The process of a test and everything it started: they live and end together. */
export type TestProcess = ReturnType<typeof startTest>;

interface ProcessOptions {
  readonly command: TestCommand;
  /** All of it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly write: (text: string) => void;
}

/** Time for a runner that was asked to stop to write what it has. */
const PATIENCE_MS = 3_000;
/** Time for what a process wrote last to arrive, where something that it left behind keeps its output open. */
const LINGER_MS = 500;

type TestChild = ChildProcessByStdio<null, Readable, Readable>;

const isWindows = process.platform === "win32";
const running = new Set<TestChild>();

/** Ends every test at once, without a chance to object: nothing outlives the editor. */
export function killAllTests(): void {
  for (const child of running) signal(child, "SIGKILL");
}

export function startTest({ command: { command, args, cwd }, environment, write }: ProcessOptions) {
  const found = isWindows ? windowsCommand(command, args, { env: environment, cwd }) : undefined;
  const child = spawn(found?.file ?? command, found?.args ?? args, {
    windowsVerbatimArguments: found?.verbatim === true,
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"], // a test that asks a person would wait forever
    detached: !isWindows, // a group of its own, so that stopping it takes its workers along
    windowsHide: true,
  });
  // A character that is split over two chunks is put together.
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", write);
  let stopped = false;
  let patience: NodeJS.Timeout | undefined;
  running.add(child);
  const letGo = child.pid === undefined ? undefined : guardGroup(child.pid);
  const ended = waitForEnd(child, command).then((end): TestEnd => {
    clearTimeout(patience);
    signal(child, "SIGKILL"); // what it left behind
    letGo?.();
    running.delete(child);
    return stopped ? { how: "stopped" } : end;
  });
  return {
    /** Never rejects. None of its processes is left then. */
    ended,
    /** Asks it to stop as Ctrl+C does; who does not listen, or is asked twice, is ended. */
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
      const reason = code === "ENOENT" ? `no program "${command}" was found` : message;
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
    // nobody is left
  }
}

/** What the guard does: when its input ends, because nobody holds it any more, it ends the group whose leader it is told. */
const SCRIPT = `
const [, leader] = process.argv;
process.stdin.resume().once("end", () => {
  if (process.platform === "win32") {
    require("node:child_process").spawnSync("taskkill", ["/pid", leader, "/T", "/F"], { stdio: "ignore" });
  } else {
    try { process.kill(-Number(leader), "SIGKILL"); } catch {}
  }
});
`;

/**
 * Ends a group of processes as soon as this process is gone, also where it was killed and could do nothing itself.
 * The function given back takes the guard away.
 */
function guardGroup(leader: number): () => void {
  const { NODE_OPTIONS: _, ...environment } = process.env;
  const guard = spawn(process.execPath, ["-e", SCRIPT, String(leader)], {
    env: { ...environment, ELECTRON_RUN_AS_NODE: "1" }, // in a desktop VS Code this program is Electron
    stdio: ["pipe", "ignore", "ignore"],
    detached: true, // what ends us does not end it
    windowsHide: true,
  });
  guard.on("error", () => {}); // without it the test runs all the same
  guard.stdin.on("error", () => {});
  guard.unref();
  return () => void guard.kill("SIGKILL");
}
