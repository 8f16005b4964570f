import { setImmediate } from "node:timers/promises";
import type { Mode } from "../core/call.ts";
import { guardedHosts } from "../core/protocol/origin.ts";
import type { SeenSoFar } from "../server/seen.ts";
import { childEnvironment } from "./child-environment.ts";
import { runChild, type ChildOptions } from "./child.ts";
import { watchOutside, type OutsideWatch } from "./outside.ts";
import { sealedFor } from "./sealed.ts";
import type { Serving } from "./serving.ts";

export interface Asked {
  readonly command: readonly string[];
  readonly guards: boolean;
  readonly isSealed: boolean;
}

interface Watching extends Pick<ChildOptions, "output" | "terminal"> {
  readonly serving: Serving;
  readonly mode: Mode;
  readonly seen: SeenSoFar;
}

/**
 * Runs a command with its environment pointed at the server, and notes what its programs without hooks were connected
 * to: in a sealed run there is no outside. Resolves to its exit code. @throws TapedeckError where it cannot be started.
 */
export async function runWatched(
  { command, guards, isSealed }: Asked,
  { serving, mode, seen, output, terminal }: Watching,
): Promise<number> {
  const env = await childEnvironment(serving, mode, terminal, { command, guards });
  if (isSealed) {
    const seal = await sealedFor(serving);
    try {
      return await runChild(seal.into(command), { env, output, terminal });
    } finally {
      await seal.release();
    }
  }
  let outside: OutsideWatch | undefined;
  const onStart = (pid: number): void => {
    outside = watchOutside(pid, { isLookedAt: (one) => seen.hasHooks(one) });
  };
  try {
    return await runChild(command, { env, output, terminal, onStart });
  } finally {
    const { hosts } = guardedHosts(serving.deck.providers);
    for (const one of (await outside?.end(hosts)) ?? []) seen.passed({ ...one, reason: NO_HOOKS });
    await lastWords();
  }
}

/** Reads what processes sent as they ended: a connection is let in, read and understood, each in a turn of its own. */
async function lastWords(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}

const NO_HOOKS = "this program has none of Tapedeck's hooks, and connected to an address of that host";
