import * as vscode from "vscode";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { FolderSession } from "../session/folder-session.ts";
import type { Session } from "../session/session.ts";
import type { DocumentSources } from "./render-document.ts";
import { subjectOf } from "./uris.ts";
import { throttle } from "../window/throttle.ts";
import { isMissingCall, type MissingCall, type OpenFinding } from "../findings/findings-model.ts";

/** The readable documents of a session's calls, and what is known of those that are open. */
export interface Documents extends vscode.Disposable {
  /** As it is now. */
  render(uri: vscode.Uri): Promise<RenderedDocument>;
  /** Renders it where that was not done yet. */
  rendered(uri: vscode.Uri): Promise<RenderedDocument>;
  forget(uri: vscode.Uri): void;
  /** A finding as it was last seen, also after it was resolved. */
  finding(id: string): OpenFinding | undefined;
  missing(id: string): MissingCall | undefined;
  /** The texts may have changed, and with them everything that belongs to their lines. */
  readonly onDidChange: vscode.Event<void>;
}

/** A folder with its documents. */
export interface DocumentFolder extends FolderSession {
  readonly index: RecordingIndex;
  readonly documents: Documents;
}

const REFRESH_MS = 300;
export function createDocuments(
  session: Session,
  { index, caches, log }: Omit<DocumentSources, "session" | "finding">,
): Documents {
  const changed = new vscode.EventEmitter<void>();
  const seen = new Map<string, OpenFinding>();
  const cache = new Map<string, Promise<RenderedDocument>>();
  const finding = (id: string): OpenFinding | undefined => {
    const found = session.state.findings.find((one) => one.id === id) ?? seen.get(id);
    if (found) seen.set(id, found);
    return found;
  };
  const missing = (id: string): MissingCall | undefined => {
    const found = finding(id);
    return found && isMissingCall(found) ? found : undefined;
  };
  const render = (uri: vscode.Uri): Promise<RenderedDocument> => {
    const sources = { session, index, caches, log, finding };
    const rendering = import("./render-document.ts").then((loaded) =>
      loaded.renderDocument(subjectOf(uri), sources),
    );
    cache.set(uri.toString(), rendering);
    return rendering;
  };
  const update = throttle(
    () => changed.fire(),
    () => REFRESH_MS,
  );
  const subscriptions = [
    changed,
    update,
    session.onDidChange(update),
    session.recordings.onDidChange(update),
    caches.onDidChange(update),
  ];
  return {
    render,
    rendered: (uri) => cache.get(uri.toString()) ?? render(uri),
    forget: (uri) => void cache.delete(uri.toString()),
    finding,
    missing,
    onDidChange: changed.event,
    dispose: () => vscode.Disposable.from(...subscriptions).dispose(),
  };
}
