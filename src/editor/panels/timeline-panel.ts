import { listTranslationsIn, localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { type TimelineRequest, readTimelineRequest } from "../../core/view/run-record/timeline-data.ts";
import { runOneAtATime, throttle } from "../window/throttle.ts";
import { showTest } from "../documents/show-call.ts";
import { COMMANDS, TIMELINE_VIEW, addTagToArguments } from "../window/ids.ts";
import { listMissingCalls } from "../findings/findings-model.ts";
import { sayInformation } from "../window/messages.ts";
import type { FolderSession, Sessions } from "../session/folder-session.ts";
import {
  STILL_MS,
  type TimelineSubject,
  collectTimelineData,
  readTimelineSubject,
} from "./timeline-panel-model.ts";
import { randomBytes } from "node:crypto";
import { readBytesNow, READ_LIMITS } from "../../storage/folder/read-file.ts";
import { renderPageHtml } from "./page-html-model.ts";

/** Minimum time between two updates of a timeline. */
const EVERY_MS = 250;

/** Creates the timelines of a window. */
export function createTimelines(extension: vscode.Uri, sessions: Sessions): Pages {
  return createPages(extension, (page, given) => {
    const subject = readTimelineSubject(given);
    const of = subject && sessions.tagged(subject.folder);
    return of && subject && connectTimeline(page, subject, () => sessions.tagged(subject.folder));
  });
}

/** `of`: returns the folder's session, which some settings replace; undefined once the folder is closed. */
function connectTimeline(
  page: Page,
  opened: TimelineSubject,
  of: () => FolderSession | undefined,
): vscode.Disposable {
  let subject = opened;
  /** Updates the page once more after the last call, because the end of a run has no event. */
  let again: NodeJS.Timeout | undefined;
  const post = runOneAtATime(async () => {
    const one = of();
    if (one === undefined) return;
    const data = await collectTimelineData(subject, {
      log: one.session.recordings.runLog,
      now: Date.now(),
    });
    page.post({ type: "data", data });
    clearTimeout(again);
    if (data.isLive) again = setTimeout(post, STILL_MS);
  });
  const soon = throttle(post, () => EVERY_MS);
  const turn = (next: TimelineSubject): void => {
    subject = next;
    page.post({ type: "subject", subject });
    soon();
  };
  const first = of()?.session;
  return vscode.Disposable.from(
    soon,
    { dispose: () => clearTimeout(again) },
    page.onMessage((message) => {
      const request = readTimelineRequest(message);
      const one = of();
      if (request === undefined || one === undefined) return;
      if (request.type === "ready") soon();
      else if (request.type === "show") turn({ ...subject, run: request.run });
      else void openRequested(request, one);
    }),
    ...(first ? [first.recordings.onDidCall(soon), first.onDidChange(soon)] : []),
  );
}

async function openRequested(
  request: Extract<TimelineRequest, { type: "open" | "openMissing" | "goToTest" }>,
  { session }: FolderSession,
): Promise<void> {
  if (request.type === "goToTest") return showTest([request.test], { session });
  const target = targetOf(request, session);
  if (target === undefined) {
    void sayInformation(localize("This call is no longer missing, or it was dismissed."));
    return;
  }
  await vscode.commands.executeCommand(COMMANDS.openCall, ...addTagToArguments([target], session.tag));
}

function targetOf(
  request: Extract<TimelineRequest, { type: "open" | "openMissing" }>,
  { state }: FolderSession["session"],
): { readonly entry: string } | { readonly finding: string } | undefined {
  if (request.type === "open") return { entry: request.entry };
  const missing = listMissingCalls(state.findings).find(({ miss }) => miss.key === request.key);
  return missing && { finding: missing.id };
}

/** A page in a panel, which exchanges messages with the extension. */
interface Page {
  post(message: unknown): void;
  /** Fires for each message of the page. The page shows untrusted text, so validate a message before acting on it. */
  readonly onMessage: vscode.Event<unknown>;
}

/**
 * Connects a page with its content. The page sends `{ type: "ready" }` when it opens and whenever it was hidden.
 * `subject` is the one that it was opened with; after a reload of the window, the page sends it. Returning undefined
 * closes the page.
 */
type ConnectPage = (page: Page, subject: unknown) => vscode.Disposable | undefined;

export type Pages = ReturnType<typeof createPages>;

/** Creates the pages `dist/pages/timeline.js` and `.css`. */
function createPages(extension: vscode.Uri, connect: ConnectPage) {
  const root = vscode.Uri.joinPath(extension, "dist", "pages");
  const options: vscode.WebviewOptions = { enableScripts: true, localResourceRoots: [root] };
  const open = new Map<string, vscode.WebviewPanel>();

  const show = (panel: vscode.WebviewPanel, subject: unknown): void => {
    const id = JSON.stringify(subject);
    panel.webview.options = options;
    panel.iconPath = vscode.Uri.joinPath(extension, "media", "icon.png");
    const page = pageOf(panel);
    const connection = connect(page, subject);
    if (connection === undefined) return panel.dispose();
    open.set(id, panel);
    // The page stores it for the next reload of the window.
    const ready = page.onMessage((message) => {
      if (isReady(message)) page.post({ type: "subject", subject });
    });
    panel.onDidDispose(() => {
      open.delete(id);
      ready.dispose();
      connection.dispose();
    });
    panel.webview.html = htmlOf(panel, root);
  };
  return {
    /** Opens a page, or shows the open page of the same subject. `subject` is plain and stored across reloads. */
    open(subject: unknown, title: string) {
      const known = open.get(JSON.stringify(subject));
      if (known) return known.reveal();
      show(
        vscode.window.createWebviewPanel(TIMELINE_VIEW, title, vscode.ViewColumn.Active, options),
        subject,
      );
    },
    /** Shows a page again after a reload of the window. `state`: what the page stored. */
    restore: (panel: vscode.WebviewPanel, state: unknown) => show(panel, subjectIn(state)),
  };
}

function pageOf({ webview }: vscode.WebviewPanel): Page {
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- webviews have no target origin
    post: (message) => void webview.postMessage(message),
    onMessage: webview.onDidReceiveMessage,
  };
}

function htmlOf({ webview, title }: vscode.WebviewPanel, root: vscode.Uri): string {
  const address = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
  const { fsPath } = vscode.Uri.joinPath(root, "timeline.js");
  const source = readBytesNow(fsPath, { most: READ_LIMITS.source });
  return renderPageHtml({
    title,
    source: webview.cspSource,
    script: address("timeline.js"),
    style: address("timeline.css"),
    texts: listTranslationsIn(source.toString("utf8")),
    nonce: randomBytes(16).toString("hex"),
  });
}

function isReady(message: unknown): boolean {
  return typeof message === "object" && message !== null && "type" in message && message.type === "ready";
}

function subjectIn(state: unknown): unknown {
  return typeof state === "object" && state !== null && "subject" in state ? state.subject : undefined;
}
