import * as path from "node:path";
import * as vscode from "vscode";
import {
  overviewRequestFrom,
  type OverviewData,
  type OverviewRequest,
} from "../../core/overview/overview-data.ts";
import { explain } from "../../core/errors.ts";
import { oneAtATime, throttle } from "../calls-tree/throttle.ts";
import type { FolderSession } from "../session/folder-session.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS, VIEWS, type CommandTable } from "../window/ids.ts";
import type { Log } from "../window/log.ts";
import type { Sessions } from "../window/sessions.ts";
import { filterOf, overviewSubjectFrom, type OverviewSubject } from "./overview-panel-model.ts";
import { registerPages, type Page, type Pages } from "./pages.ts";

/** While things change, an overview is read anew at most so often, and takes no more than a tenth of the time. */
const EVERY_MS = 3_000;
const SHARE = 10;
const PROGRESS_MS = 250;
const DEFAULT_DAYS = 30;
const UNTRUSTED = "Trust this workspace to see what its runs and recordings come to.";

/** Panels that show what the runs of a folder came to, and what its recordings would cost again. */
export function registerOverviews(extension: vscode.Uri, sessions: Sessions, log: Log): Pages {
  return registerPages(extension, {
    viewType: "tapedeck.overview",
    name: "overview",
    connect(page, given) {
      const subject = overviewSubjectFrom(given);
      const of = (): FolderSession | undefined => subject && sessions.tagged(subject.folder);
      return of() && connectOverview(page, of, log);
    },
  });
}

export function overviewCommands({ tag, folder }: Session, overviews: Pages) {
  const subject: OverviewSubject = tag === undefined ? {} : { folder: tag };
  const title = tag === undefined ? "Overview" : `Overview: ${folder.name}`;
  return { [COMMANDS.showOverview]: () => overviews.open(subject, title) } satisfies Partial<CommandTable>;
}

/** `of`: the folder's session, another object after some settings; undefined once the folder is gone. */
function connectOverview(page: Page, of: () => FolderSession | undefined, log: Log): vscode.Disposable {
  let days = DEFAULT_DAYS;
  let last: OverviewData | undefined;
  let tookMs = 0;
  const closed = new AbortController();
  const show = (data: OverviewData): void => page.post({ type: "data", data });
  const post = oneAtATime(async () => {
    const one = of();
    if (one === undefined || closed.signal.aborted) return;
    if (!vscode.workspace.isTrusted) return page.post({ type: "failed", reason: UNTRUSTED });
    const begun = performance.now();
    try {
      const { signal } = closed;
      last = await readFor(page, one, { days, signal, ...(last === undefined && { showRuns: show }) });
      show(last);
    } catch (error) {
      log.error("overview", error);
      page.post({ type: "failed", reason: explain(error) });
    }
    tookMs = performance.now() - begun;
  });
  const soon = throttle(post, () => Math.max(EVERY_MS, SHARE * tookMs));
  const first = of()?.session;
  return vscode.Disposable.from(
    { dispose: () => closed.abort() },
    soon,
    page.onMessage((message) => {
      const request = overviewRequestFrom(message);
      const one = of();
      if (request === undefined || one === undefined) return;
      // A page that was hidden has forgotten what it showed.
      if (request.type === "ready" && last) show(last);
      if (request.type === "period") days = request.days;
      if (request.type === "ready" || request.type === "period") post();
      else void follow(request, one);
    }),
    ...(first ? [first.onDidChange(soon), first.onDidChangeRecordings(soon)] : []),
  );
}

interface Reading {
  readonly days: number;
  readonly signal: AbortSignal;
  /** What runs came to, before any recording is looked at. */
  readonly showRuns?: (data: OverviewData) => void;
}

async function readFor(
  page: Page,
  { session }: FolderSession,
  { days, signal, showRuns }: Reading,
): Promise<OverviewData> {
  const { deck, settings, folder } = session;
  const { readOverviewData, readRunsData } = await import("./overview-reader.ts");
  const { dir, store, providers } = deck;
  const sources = {
    dir,
    store,
    providers,
    roots: [...new Set([path.dirname(dir), folder.uri.fsPath])],
    prices: settings.prices,
    days,
    now: Date.now(),
    signal,
    underWay: await session.runLog.underWay(),
  };
  showRuns?.({ ...(await readRunsData(sources)), reading: { done: 0, all: 0 } });
  let told = Date.now();
  const onProgress = (done: number, all: number): void => {
    if (Date.now() - told < PROGRESS_MS) return;
    told = Date.now();
    page.post({ type: "reading", reading: { done, all } });
  };
  return readOverviewData({ ...sources, onProgress });
}

/** What a number leads to. */
async function follow(
  request: Exclude<OverviewRequest, { type: "ready" | "period" }>,
  one: FolderSession,
): Promise<void> {
  if (request.type === "start") await one.command(COMMANDS.getStarted);
  else if (request.type === "run") await one.command(COMMANDS.showTimeline, request.id);
  else {
    await one.command(COMMANDS.filterCalls, filterOf(request.part));
    await vscode.commands.executeCommand(`${VIEWS.calls}.focus`);
  }
}
