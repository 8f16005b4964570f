import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { createTapedeckError } from "../../core/base/errors.ts";
import { renderOverview } from "../../core/view/overview/overview-document.ts";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import { readOverview } from "../../deck/read-overview.ts";
import type { OverviewTarget } from "../calls/call-node-model.ts";
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
    underWay: await session.recordings.runLog.underWay(),
  });
  return renderOverview(overview, {
    timeOf: (at) =>
      new Date(at).toLocaleString(localize("en-US"), { dateStyle: "medium", timeStyle: "short" }),
  });
}

export function createOverviewCommands(session: Session) {
  return {
    [COMMANDS.showOverview]: async (days) => {
      const overview = { days: typeof days === "number" ? days : DEFAULT_DAYS, at: Date.now() };
      const document = await vscode.workspace.openTextDocument(
        createDocumentUri(session, { of: { overview }, part: "all" }),
      );
      await vscode.window.showTextDocument(document, { preview: true });
    },
  } satisfies Partial<CommandTable>;
}
