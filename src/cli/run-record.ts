import type { Mode } from "../core/call.ts";
import { explain } from "../core/errors.ts";
import { inOrder, runCallOf, type RunRecord } from "../core/run-record/run-record.ts";
import { completeCalls } from "../deck/complete-calls.ts";
import { keepRun, newRunId } from "../storage/runs/kept-runs.ts";
import { withoutSecretsIn } from "../storage/runs/without-secrets.ts";
import { noteTimings, readTimings } from "../storage/runs/timings.ts";
import { maySayCredential } from "./last-command.ts";
import type { RunEvent } from "./report/run-report.ts";
import type { Serving } from "./serving.ts";
import type { Terminal } from "./terminal.ts";
import { pickDefined } from "../core/pick-defined.ts";

interface Ran {
  readonly mode: Mode;
  readonly command: readonly string[];
  /** Absent where nobody knows. */
  readonly passed?: boolean;
  /** Calls beyond those that are given. */
  readonly left?: number;
}

/**
 * The run as it is drawn, with what its recordings know, kept on this machine for the pictures of the editor; undefined
 * where no call came. That it cannot be kept is said, and fails nothing.
 */
export async function rememberRun(
  events: readonly RunEvent[],
  { mode, command, ...known }: Ran,
  { serving, terminal }: { readonly serving: Pick<Serving, "deck">; readonly terminal: Terminal },
): Promise<RunRecord | undefined> {
  const { deck } = serving;
  const startedAt = events[0]?.at;
  if (startedAt === undefined) return undefined;
  const seen = events.map((event) => runCallOf(event, startedAt));
  await noteTimings(deck.dir, seen).catch(() => undefined);
  const calls = await completeCalls(seen, deck, await readTimings(deck.dir));
  const title = (await maySayCredential(command)) ? undefined : command.join(" ");
  const id = newRunId(startedAt);
  const told = { ...known, id, startedAt, mode, calls, ...pickDefined({ title }) };
  const record = inOrder({ ...told, source: "command" });
  try {
    await keepRun(deck.dir, record);
  } catch (error) {
    terminal.err(`This run is not remembered: ${explain(error)}\n`);
  }
  return withoutSecretsIn(record);
}
