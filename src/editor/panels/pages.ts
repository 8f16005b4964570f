import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { pageHtml } from "./page-html-model.ts";

/** A page that shows something; its two sides speak in messages. */
export interface Page {
  title: string;
  post(message: unknown): void;
  /** What comes is of a page that shows texts of others: look at it before you go by it. */
  readonly onMessage: vscode.Event<unknown>;
  readonly onDidDispose: vscode.Event<void>;
}

/** A kind of page: `dist/pages/<name>.js` and `.css`. */
export interface PageKind {
  /** As the manifest's activation events name it. */
  readonly viewType: string;
  readonly name: string;
  /**
   * Gives a page what it shows, each time it says `{ type: "ready" }`: it does so anew whenever it was hidden. `subject`
   * is what it was opened with; after a reload of the window it comes from the page itself. Undefined closes the page.
   */
  connect(page: Page, subject: unknown): vscode.Disposable | undefined;
}

export interface Pages extends vscode.Disposable {
  /** Opens a page, or shows the one that is open for the same subject. `subject` is plain, and kept over a reload. */
  open(subject: unknown, title: string): void;
}

/** Registers a kind of page. Nothing of it is loaded before one is opened. */
export function registerPages(extension: vscode.Uri, kind: PageKind): Pages {
  const root = vscode.Uri.joinPath(extension, "dist", "pages");
  const options: vscode.WebviewOptions = { enableScripts: true, localResourceRoots: [root] };
  const open = new Map<string, vscode.WebviewPanel>();

  const show = (panel: vscode.WebviewPanel, subject: unknown): void => {
    const id = JSON.stringify(subject);
    panel.webview.options = options;
    panel.iconPath = vscode.Uri.joinPath(extension, "media", "icon.png");
    const page = pageOf(panel);
    const connection = kind.connect(page, subject);
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
    panel.webview.html = htmlOf(panel, kind, root);
  };
  const serializer = vscode.window.registerWebviewPanelSerializer(kind.viewType, {
    deserializeWebviewPanel(panel, state: unknown) {
      show(panel, subjectIn(state));
      return Promise.resolve();
    },
  });
  return {
    open(subject, title) {
      const known = open.get(JSON.stringify(subject));
      if (known) return known.reveal();
      show(
        vscode.window.createWebviewPanel(kind.viewType, title, vscode.ViewColumn.Active, options),
        subject,
      );
    },
    // Pages that are open stay: the window's next life shows them again.
    dispose: () => serializer.dispose(),
  };
}

function pageOf(panel: vscode.WebviewPanel): Page {
  return {
    get title() {
      return panel.title;
    },
    set title(title) {
      panel.title = title;
    },
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a webview's own takes none
    post: (message) => void panel.webview.postMessage(message),
    onMessage: panel.webview.onDidReceiveMessage,
    onDidDispose: panel.onDidDispose,
  };
}

function htmlOf({ webview, title }: vscode.WebviewPanel, { name }: PageKind, root: vscode.Uri): string {
  const address = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
  return pageHtml({
    title,
    source: webview.cspSource,
    script: address(`${name}.js`),
    style: address(`${name}.css`),
    nonce: randomBytes(16).toString("hex"),
  });
}

function isReady(message: unknown): boolean {
  return typeof message === "object" && message !== null && "type" in message && message.type === "ready";
}

function subjectIn(state: unknown): unknown {
  return typeof state === "object" && state !== null && "subject" in state ? state.subject : undefined;
}
