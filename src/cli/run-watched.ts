import { guardedHosts } from "../core/protocol/origin.ts";
import type { SeenSoFar } from "../server/seen.ts";
import { runChild, type ChildOptions } from "./child.ts";
import { watchOutside, type OutsideWatch } from "./outside.ts";
import type { Seal } from "./sealed.ts";
import type { Serving } from "./serving.ts";

interface Watching {
  readonly seal: Seal | undefined;
  readonly seen: SeenSoFar;
  readonly serving: Serving;
}

/** Runs a command, and notes what its programs without hooks were connected to: in a sealed run there is no outside. */
export async function runWatched(
  command: readonly string[],
  options: ChildOptions,
  { seal, seen, serving }: Watching,
): Promise<number> {
  if (seal !== undefined) return runChild(seal.into(command), options);
  let outside: OutsideWatch | undefined;
  const onStart = (pid: number): void => {
    outside = watchOutside(pid, { isLookedAt: (one) => seen.hasHooks(one) });
  };
  try {
    return await runChild(command, { ...options, onStart });
  } finally {
    const { hosts } = guardedHosts(serving.deck.providers);
    for (const one of (await outside?.end(hosts)) ?? []) seen.passed({ ...one, reason: NO_HOOKS });
  }
}

const NO_HOOKS = "this program has none of Tapedeck's hooks, and connected to an address of that host";
