import { spawnSync, type ChildProcess } from "node:child_process";
import process from "node:process";
import type { Terminal } from "./terminal.ts";

const FORWARDED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** How long a command that was asked to end may take to write what it has. */
const PATIENCE_MS = 8_000;
/** How long what it started may outlive it then. */
const LINGER_MS = 1_000;
const LOOK_AGAIN_MS = 25;

/**
 * Whether a command gets a process group of its own. At a terminal it does not: there the terminal signals all of its
 * programs at once, and only they may read from it.
 */
export function hasOwnGroup({ hasKeyboard }: Pick<Terminal, "hasKeyboard">): boolean {
  return process.platform !== "win32" && !hasKeyboard;
}

export interface Forwarding {
  /** To be called once the command has ended: resolves when nothing that it started is left, where it was told to end. */
  stop(): Promise<void>;
}

/**
 * Passes the signals that reach us on to a command and all that it started. One that goes on regardless is ended: at a
 * second signal, at a terminal at a third one (the first two it sees itself), and after a while in any case.
 */
export function forwardSignals(child: ChildProcess, terminal: Terminal): Forwarding {
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
  return {
    async stop() {
      if (received > 0 && isGroup) await clearGroup(child);
      clearTimeout(patience);
      for (const signal of FORWARDED) signals.off(signal, forward);
    },
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

/** False where nobody is left to be signalled. */
function attempt(act: () => boolean): boolean {
  try {
    return act();
  } catch {
    return false;
  }
}
