import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import type { RulesPlan } from "../core/match/rules/plan-rules.ts";
import { createSeen } from "../server/seen.ts";
import { childEnvironment } from "./child-environment.ts";
import type { ServeOptions } from "./options/serve-options.ts";
import { keepMissedRequests, type MissedRequests } from "./propose-rules.ts";
import { runWatched } from "./run-watched.ts";
import { sealedFor, type Seal } from "./sealed.ts";
import { startServing } from "./serving.ts";
import type { Terminal } from "./terminal.ts";

/** A run that is over. */
interface Again {
  readonly plan: RulesPlan | undefined;
  readonly missed: MissedRequests | undefined;
  readonly command: readonly string[];
  readonly commandCode: number;
  readonly options: ServeOptions;
  readonly guards: boolean;
  readonly isSealed: boolean;
}

/** What a signal ended has a code from here on: somebody wanted it to end. */
const SIGNALLED = 128;

/**
 * The rules for what a run missed. Where those by name are not enough, its command runs once more, without its output:
 * what it asks differently each time is volatile.
 */
export async function planWithAnotherRun(
  { plan, missed, command, commandCode, options, guards, isSealed }: Again,
  terminal: Terminal,
): Promise<RulesPlan | undefined> {
  if (plan === undefined || missed === undefined || options.mode !== "strict") return plan;
  if (plan.matched === plan.misses || commandCode >= SIGNALLED) return plan;
  terminal.err("Running the command once more, to see what it asks differently each time.\n");
  const nothing = openSync(devNull, "w");
  const quiet: Terminal = {
    ...terminal,
    out: () => {},
    outAsIs: () => {},
    err: () => {},
    streams: [terminal.streams[0], nothing, nothing],
  };
  const seen = createSeen();
  const serving = await startServing(options, quiet, (note) => seen.note(note));
  let seal: Seal | undefined;
  try {
    const again = keepMissedRequests(serving.deck, { proposes: true, list: undefined });
    const env = await childEnvironment(serving, options.mode, quiet, { command, guards });
    seal = isSealed ? await sealedFor(serving) : undefined;
    await runWatched(command, { env, output: "out", terminal: quiet }, { seal, seen, serving });
    return await missed.planWith(again ?? missed, serving.deck);
  } finally {
    await seal?.release();
    await serving.stop();
    closeSync(nothing);
  }
}
