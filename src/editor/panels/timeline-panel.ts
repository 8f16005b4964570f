import * as vscode from "vscode";
import type { DescribedRequest } from "../../core/match/read-request.ts";
import type { RunCall } from "../../core/view/run-record/run-record.ts";
import { type TimelineRequest, timelineRequestFrom } from "../../core/view/run-record/timeline-data.ts";
import { oneAtATime, throttle } from "../window/throttle.ts";
import { showTest } from "../documents/show-call.ts";
import { COMMANDS, addressArguments } from "../window/ids.ts";
import { missingCalls } from "../findings/findings-model.ts";
import { sayInformation } from "../window/messages.ts";
import type { FolderSession, Sessions } from "../session/folder-session.ts";
import { STILL_MS, type TimelineSubject, timelineData, timelineSubjectFrom } from "./timeline-panel-model.ts";
import { randomBytes } from "node:crypto";
import { pageHtml } from "./page-html-model.ts";

/** While calls come in, a timeline is drawn anew at most so often. */
const EVERY_MS = 250;

export function registerTimelines(extension: vscode.Uri, sessions: Sessions): Pages {
  return registerPages(extension, (page, given) => {
    const subject = timelineSubjectFrom(given);
    const of = subject && sessions.tagged(subject.folder);
    return of && subject && connectTimeline(page, subject, () => sessions.tagged(subject.folder));
  });
}

/** `of`: the folder's session, another object after some settings; undefined once the folder is gone. */
function connectTimeline(
  page: Page,
  opened: TimelineSubject,
  of: () => FolderSession | undefined,
): vscode.Disposable {
  let subject = opened;
  /** Nobody tells that no call comes any more. */
  let again: NodeJS.Timeout | undefined;
  const post = oneAtATime(async () => {
    const one = of();
    if (one === undefined) return;
    const { session } = one;
    const data = await timelineData(subject, {
      log: session.recordings.runLog,
      compare: (first, second) => differencesOf(first, second, one),
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
      const request = timelineRequestFrom(message);
      const one = of();
      if (request === undefined || one === undefined) return;
      if (request.type === "ready") soon();
      else if (request.type === "show") turn({ ...subject, run: request.run });
      else if (request.type === "compare") turn(compareWith(subject, request.run));
      else void openRequested(request, one);
    }),
    ...(first ? [first.recordings.onDidCall(soon), first.onDidChange(soon)] : []),
  );
}

function compareWith(subject: TimelineSubject, run: string): TimelineSubject {
  const { second: _, ...rest } = subject;
  return run === "" ? rest : { ...rest, second: run };
}

async function openRequested(
  request: Extract<TimelineRequest, { type: "open" | "openMissing" | "goToTest" }>,
  { session }: FolderSession,
): Promise<void> {
  if (request.type === "goToTest") return showTest([request.test], { session });
  const target = targetOf(request, session);
  if (target === undefined) {
    void sayInformation("This call is not missing any more, or was dismissed.");
    return;
  }
  await vscode.commands.executeCommand(COMMANDS.openCall, ...addressArguments([target], session.tag));
}

function targetOf(
  request: Extract<TimelineRequest, { type: "open" | "openMissing" }>,
  { state }: FolderSession["session"],
): { readonly entry: string } | { readonly finding: string } | undefined {
  if (request.type === "open") return { entry: request.entry };
  const missing = missingCalls(state.findings).find(({ miss }) => miss.key === request.key);
  return missing && { finding: missing.id };
}

async function differencesOf(
  first: RunCall,
  second: RunCall,
  { session }: FolderSession,
): Promise<readonly string[]> {
  try {
    const [before, now] = await Promise.all([requestOf(first, session), requestOf(second, session)]);
    return before && now ? session.deck.compare(before, now).map(({ text }) => text) : [];
  } catch {
    return []; // a recording is gone, or cannot be read
  }
}

/** Of a missing call as long as it is missing. */
async function requestOf(
  { entry, key }: RunCall,
  { deck, state }: FolderSession["session"],
): Promise<DescribedRequest | undefined> {
  if (entry !== undefined) return deck.store.read(entry);
  return missingCalls(state.findings).find(({ miss }) => miss.key === key)?.miss;
}

/** A page that shows something; its two sides exchange messages. */
export interface Page {
  post(message: unknown): void;
  /** Fires for each message of the page. The page shows untrusted text, so validate a message before acting on it. */
  readonly onMessage: vscode.Event<unknown>;
}

/**
 * Gives a page what it shows, each time it sends `{ type: "ready" }`: it does so whenever it was hidden. `subject` is
 * what it was opened with; after a reload of the window it comes from the page itself. Undefined closes the page.
 */
export type ConnectPage = (page: Page, subject: unknown) => vscode.Disposable | undefined;

export type Pages = ReturnType<typeof registerPages>;

/** As the manifest's activation events name it. */
const VIEW_TYPE = "tapedeck.timeline";

/** Registers the pages `dist/pages/timeline.js` and `.css`. Nothing of them is loaded before one is opened. */
export function registerPages(extension: vscode.Uri, connect: ConnectPage) {
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
    // The page keeps it, for the window's next life.
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
  const serializer = vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
    deserializeWebviewPanel(panel, state: unknown) {
      show(panel, subjectIn(state));
      return Promise.resolve();
    },
  });
  return {
    /** Opens a page, or shows the one that is open for the same subject. `subject` is plain, and kept over a reload. */
    open(subject: unknown, title: string) {
      const known = open.get(JSON.stringify(subject));
      if (known) return known.reveal();
      show(vscode.window.createWebviewPanel(VIEW_TYPE, title, vscode.ViewColumn.Active, options), subject);
    },
    // Pages that are open stay: the window's next life shows them again.
    dispose: () => serializer.dispose(),
  };
}

function pageOf({ webview }: vscode.WebviewPanel): Page {
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's own takes none
    post: (message) => void webview.postMessage(message),
    onMessage: webview.onDidReceiveMessage,
  };
}

function htmlOf({ webview, title }: vscode.WebviewPanel, root: vscode.Uri): string {
  const address = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
  return pageHtml({
    title,
    source: webview.cspSource,
    script: address("timeline.js"),
    style: address("timeline.css"),
    nonce: randomBytes(16).toString("hex"),
  });
}

function isReady(message: unknown): boolean {
  return typeof message === "object" && message !== null && "type" in message && message.type === "ready";
}

function subjectIn(state: unknown): unknown {
  return typeof state === "object" && state !== null && "subject" in state ? state.subject : undefined;
}
