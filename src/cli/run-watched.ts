import { localize } from "../core/base/localize.ts";
import { addReportedValues } from "../core/call/reported-values.ts";
import { ValuePool } from "../core/call/value-pool.ts";
import { setImmediate } from "node:timers/promises";
import type { Mode } from "../core/call/call.ts";
import { listGuardedHosts } from "../core/protocol/origin.ts";
import type { RunObserver } from "../server/run-observer.ts";
import { buildChildEnvironment } from "./child-environment.ts";
import { runChild, type ChildOptions } from "./child.ts";
import { watchOutside } from "./outside.ts";
import type { Serving } from "./serving.ts";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { readBytesNow } from "../storage/folder/read-file.ts";
import { makeTemporaryFolder } from "../storage/local/temporary-folder.ts";
import { writeVisibleJson } from "../core/base/visible.ts";
import type { Terminal } from "./terminal.ts";

export interface WatchedCommand {
  readonly command: readonly string[];
  readonly guards: boolean;
  readonly blocksNetwork: boolean;
  /** Whether the command is the process that started this one, which is already running. */
  readonly isAttached: boolean;
}

interface WatchOptions extends Pick<ChildOptions, "output" | "terminal"> {
  readonly serving: Serving;
  readonly mode: Mode;
  readonly observed: RunObserver;
}

/**
 * Runs a command with an environment that points to the server and resolves to its exit code. Also notes the
 * connections of programs without hooks.
 * @throws TapedeckError if the command cannot be started.
 */
export async function runWatched(watched: WatchedCommand, watching: WatchOptions): Promise<number> {
  const folder = makeTemporaryFolder("run");
  try {
    return await runReporting(join(folder, "starts"), watched, watching);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runReporting(
  startsFile: string,
  { command, guards, blocksNetwork, isAttached }: WatchedCommand,
  { serving, mode, observed, output, terminal }: WatchOptions,
): Promise<number> {
  const env = await buildChildEnvironment(serving, mode, terminal, {
    guards,
    blocksNetwork,
    startsFile,
  });
  const noteStarts = followStarts(startsFile, serving, observed);
  const { run } = serving.admission;
  run.values ??= new ValuePool();
  run.values.readMore = noteStarts;
  let endWatch: ReturnType<typeof watchOutside> | undefined;
  const onStart = (pid: number): void => {
    const isLookedAt = (one: number): boolean => {
      if (one === process.pid || observed.hasHooks(one)) return true;
      noteStarts();
      return observed.hasHooks(one);
    };
    endWatch = watchOutside(pid, { isLookedAt });
  };
  try {
    if (!isAttached) return await runChild(command, { env, output, terminal, onStart });
    onStart(process.ppid);
    return await joinParent(env, terminal);
  } finally {
    noteStarts();
    const { hosts } = listGuardedHosts(serving.deck.providers);
    for (const one of (await endWatch?.(hosts)) ?? []) observed.passed({ ...one, reason: NO_HOOKS });
    // The server has to accept, read, and parse what exiting processes sent: one event loop turn per step.
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  }
}

/**
 * Returns a function that notes what the hooks wrote since its last call. The file has a line for each process, its pid
 * and what it runs; one for the library by which its project mocks: its pid, "@mocked", and the name; one for its first
 * test: its pid, "@tests", and the runner; and one for values that a process made up and did not report with a call: its
 * pid, "@values", and the report.
 */
function followStarts(file: string, { admission: { run } }: Serving, observed: RunObserver): () => void {
  let read = 0;
  return () => {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === read) return;
    const bytes = readBytesNow(file);
    const end = bytes.lastIndexOf("\n") + 1;
    const lines = bytes.toString("utf8", read, end).split("\n");
    read = end;
    for (const line of lines) {
      const [, pid, command = ""] = /^(\d+) (.*)$/.exec(line) ?? [];
      if (pid === undefined) continue;
      const [, runner] = /^@tests ([a-z][\w-]{0,31})$/.exec(command) ?? [];
      const [, by] = /^@mocked (\S{1,100})$/.exec(command) ?? [];
      if (command.startsWith("@values ")) addReportedValues(command, run);
      else if (runner !== undefined) observed.note({ kind: "tests", run, runner });
      else if (by !== undefined) observed.note({ kind: "mocked", run, pid: Number(pid), command: "", by });
      else observed.note({ kind: "hello", run, pid: Number(pid), command: command.slice(0, 300) });
    }
  };
}

const NO_HOOKS = localize("this program has no Tapedeck hooks, and connected to an address of that host");

/**
 * Lets the process that started this one join the run: prints the variables that it needs as one JSON line, and resolves
 * to the exit code that it writes to our standard input. If the process ends without one, the code is 1.
 */
async function joinParent(env: NodeJS.ProcessEnv, terminal: Pick<Terminal, "env" | "out">): Promise<number> {
  const names = new Set([...Object.keys(env), ...Object.keys(terminal.env)]);
  const changed = [...names].filter((name) => env[name] !== terminal.env[name]);
  const ready = {
    event: "ready",
    env: Object.fromEntries(changed.map((name) => [name, env[name] ?? null])),
  };
  terminal.out(`${writeVisibleJson(ready)}\n`);
  const { createInterface } = await import("node:readline");
  for await (const line of createInterface({ input: process.stdin })) {
    if (/^\d{1,3}$/.test(line)) return Number(line);
  }
  return 1;
}
