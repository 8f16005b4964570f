import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import type { RulesPlan } from "../core/match/rules/plan-rules.ts";
import { createSeen } from "../server/seen.ts";
import type { ServeOptions } from "./options/serve-options.ts";
import { keepMissedRequests, type MissedRequests } from "./propose-rules.ts";
import { runWatched, type Asked } from "./run-watched.ts";
import { startServing } from "./serving.ts";
import type { Terminal } from "./terminal.ts";

/** A run that is over. */
interface Again {
  readonly plan: RulesPlan | undefined;
  readonly missed: MissedRequests | undefined;
  readonly asked: Asked;
  readonly commandCode: number;
  readonly options: ServeOptions;
}

/** What a signal ended has a code from here on: somebody wanted it to end. */
const SIGNALLED = 128;

/**
 * Plans rules for what a run missed. Where not all of it matches, the command runs once more, without its output: places
 * that differ between two runs of the same code are volatile.
 */
export async function planWithAnotherRun(
  { plan, missed, asked, commandCode, options }: Again,
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
  const serving = await startServing({ ...options, blocksNetwork: asked.blocksNetwork }, quiet, (note) =>
    seen.note(note),
  );
  try {
    const again = keepMissedRequests(serving.deck);
    await runWatched(asked, { serving, mode: options.mode, seen, output: "out", terminal: quiet });
    return await missed.planWith(again, serving.deck);
  } finally {
    await serving.stop();
    closeSync(nothing);
  }
}
