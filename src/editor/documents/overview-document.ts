import { localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import * as vscode from "vscode";
import { createTapedeckError } from "../../core/base/errors.ts";
import { renderOverview } from "../../core/view/overview/overview-document.ts";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import { readOverview } from "../../storage/overview/read-overview.ts";
import type { OverviewTarget } from "../calls/call-node-model.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { createDocumentUri } from "./uris.ts";

const DEFAULT_DAYS = 30;
const MOST_DAYS = 90;

/** Renders what the runs on this machine replayed, saved, and spent, and the current cost of re-recording. */
export async function createOverviewDocument(
  { overview: { days } }: OverviewTarget,
  session: Session,
): Promise<RenderedDocument> {
  if (!session.trusted)
    throw createTapedeckError(
      "tapedeck_refused",
      localize("Tapedeck does not read the runs and recordings of an untrusted workspace."),
      { hint: localize("Trust the workspace to see its overview.") },
    );
  const { deck, settings, folder } = session;
  const { runLog } = session.recordings;
  const { dir, store, providers } = deck;
  const { overview } = await readOverview({
    dir,
    store,
    providers,
    roots: [...new Set([path.dirname(dir), folder.uri.fsPath])],
    prices: settings.limits.prices,
    days: Math.min(Math.max(1, days), MOST_DAYS),
    now: Date.now(),
    underWay: await runLog.underWay(),
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
