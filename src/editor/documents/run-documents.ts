import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { createTapedeckError } from "../../core/base/errors.ts";
import { renderOverview } from "../../core/view/overview/overview-document.ts";
import { renderTimeline } from "../../core/view/run-record/timeline-document.ts";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import type { OverviewTarget, TimelineTarget } from "../calls/call-node-model.ts";
import { findRun } from "../runs/run-log-model.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { createDocumentUri } from "./uris.ts";
import { type Overview, buildOverview } from "../../core/view/overview/overview.ts";
import type { RunRecord } from "../../core/view/run-record/run-record.ts";
import { readRunsSince } from "../../storage/runs/kept-runs.ts";
import { completeCalls } from "../../deck/complete-calls.ts";
import type { Deck } from "../../deck/deck.ts";

const DEFAULT_DAYS = 30;
const MOST_DAYS = 90;

/** Renders what the runs on this machine replayed, saved, and spent. */
export async function createOverviewDocument(
  { overview: { days } }: OverviewTarget,
  session: Session,
): Promise<RenderedDocument> {
  if (!session.trusted)
    throw createTapedeckError(
      "tapedeck_refused",
      localize("Tapedeck does not read the runs of an untrusted workspace."),
      { hint: localize("Trust the workspace to see its overview.") },
    );
  const overview = await readOverview(session.deck, {
    days: Math.min(Math.max(1, days), MOST_DAYS),
    now: Date.now(),
    underWay: await session.recordings.runLog.listActive(),
  });
  return renderOverview(overview, { timeOf });
}

const timeOf = (at: number): string =>
  new Date(at).toLocaleString(localize("en-US"), { dateStyle: "medium", timeStyle: "short" });

/** Renders a run: the named one, or the newest one that has calls of the test. */
export async function createTimelineDocument(
  { timeline: { run: id, test, which } }: TimelineTarget,
  { recordings: { runLog } }: Session,
): Promise<RenderedDocument> {
  const run = (id === undefined ? undefined : await runLog.read(id)) ?? (await findRun(test, runLog));
  return renderTimeline(run, { which, test, timeOf });
}

export function createOverviewCommands(session: Session) {
  return {
    [COMMANDS.showOverview]: async (days) => {
      const overview = { days: typeof days === "number" ? days : DEFAULT_DAYS, at: Date.now() };
      const uri = createDocumentUri(session, { of: { overview }, part: "all" });
      await vscode.window.showTextDocument(uri, { preview: true });
    },
  } satisfies Partial<CommandTable>;
}

interface OverviewOptions {
  /** Number of days, up to that of `now`. */
  readonly days: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Runs that have not ended, and so are not written yet. */
  readonly underWay?: readonly RunRecord[];
}

/** Returns the overview of the runs of a cassette folder on this machine, with the facts of their recordings. */
async function readOverview(
  deck: Pick<Deck, "dir" | "store" | "factsOf" | "providers">,
  { days, now, underWay = [] }: OverviewOptions,
): Promise<Overview> {
  const kept = await readRunsSince(deck.dir, noonOf(now) - days * DAY_MS);
  const runs = [...underWay, ...kept];
  // All runs at once, so that a recording that many of them replayed is read once.
  const flat = runs.flatMap((run) => run.calls);
  const calls = [...(await completeCalls(flat, deck))];
  return buildOverview({
    days: listLastDays(days, now),
    dayOf,
    runs: runs.map((run) => ({ ...run, calls: calls.splice(0, run.calls.length) })),
    upstreamOf: (name) => deck.providers.get(name)?.upstream,
  });
}

const DAY_MS = 86_400_000;
/** A day on which the clocks change does not have 24 hours, but it has a noon. */
const noonOf = (now: number): number => new Date(now).setHours(12, 0, 0, 0);

/** Returns the days that end with `now`, oldest first. */
function listLastDays(count: number, now: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => dayOf(noonOf(now) - (count - 1 - index) * DAY_MS));
}

/** Returns the local date of a time in milliseconds since the epoch: "2026-11-23". */
function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
