import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { createTapedeckError } from "../../core/base/errors.ts";
import { renderOverview } from "../../core/view/overview/overview-document.ts";
import { renderTimeline } from "../../core/view/run-record/timeline-document.ts";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import { readOverview } from "../../deck/read-overview.ts";
import type { OverviewTarget, TimelineTarget } from "../calls/call-node-model.ts";
import { findRun } from "../runs/run-log-model.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { createDocumentUri } from "./uris.ts";

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
