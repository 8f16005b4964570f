import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { pageHtml } from "./page-html-model.ts";

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

export interface Pages extends vscode.Disposable {
  /** Opens a page, or shows the one that is open for the same subject. `subject` is plain, and kept over a reload. */
  open(subject: unknown, title: string): void;
}

/** As the manifest's activation events name it. */
const VIEW_TYPE = "tapedeck.timeline";

/** Registers the pages `dist/pages/timeline.js` and `.css`. Nothing of them is loaded before one is opened. */
export function registerPages(extension: vscode.Uri, connect: ConnectPage): Pages {
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
    open(subject, title) {
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
