import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { FolderSession, Sessions } from "../session/folder-session.ts";
import type { Session } from "../session/session.ts";
import type { DocumentSources } from "./render-document.ts";
import { getLanguage } from "./document-uri-model.ts";
import { readSubjectOfUri } from "./uris.ts";
import { throttle } from "../window/throttle.ts";
import type { OpenFinding } from "../findings/findings-model.ts";
import type { CallTarget } from "../calls/call-node-model.ts";
import { SCHEMES } from "../window/ids.ts";

/** The readable documents of a session's calls, and the findings that they show. */
export type Documents = ReturnType<typeof createDocuments>;

export interface DocumentFolder extends FolderSession {
  readonly index: RecordingIndex;
  readonly documents: Documents;
}

const REFRESH_MS = 300;

/** `show` shows the current content of the documents that are open. */
export function createDocuments(
  session: Session,
  { index, caches, log, show }: Omit<DocumentSources, "session" | "finding"> & { readonly show: () => void },
) {
  const findingsById = new Map<string, OpenFinding>();
  const cache = new Map<string, Promise<RenderedDocument>>();
  const finding = (id: string): OpenFinding | undefined => {
    const found = session.state.findings.find((one) => one.id === id) ?? findingsById.get(id);
    if (found) findingsById.set(id, found);
    return found;
  };
  const render = (uri: vscode.Uri): Promise<RenderedDocument> => {
    const sources = { session, index, caches, log, finding };
    const rendering = import("./render-document.ts").then((loaded) =>
      loaded.renderDocument(readSubjectOfUri(uri), sources),
    );
    cache.set(uri.toString(), rendering);
    return rendering;
  };
  const update = throttle(show, () => REFRESH_MS);
  const subscriptions = [
    update,
    session.onDidChange(update),
    session.recordings.onDidChange(update),
    caches.onDidChange(update),
  ];
  return {
    /** Renders the current content. */
    render,
    /** Returns the last rendering; renders the document if there is none. */
    rendered: (uri: vscode.Uri) => cache.get(uri.toString()) ?? render(uri),
    forget: (uri: vscode.Uri) => void cache.delete(uri.toString()),
    /** Returns the last state of a finding, even after it was resolved. */
    finding,
    dispose: () => vscode.Disposable.from(...subscriptions).dispose(),
  };
}

/** Returns the findings among the targets of a command, even those that were resolved. */
export const listFindings = (
  targets: readonly CallTarget[],
  { documents }: Pick<DocumentFolder, "documents">,
): readonly OpenFinding[] =>
  targets.flatMap((target) => ("finding" in target ? (documents.finding(target.finding) ?? []) : []));

/** The documents of all sessions, by address. */
export type AllDocuments = ReturnType<typeof registerDocuments>;

export function registerDocuments(sessions: Sessions<DocumentFolder>) {
  const texts = new vscode.EventEmitter<vscode.Uri>();
  const changed = new vscode.EventEmitter<void>();
  const subscriptions = [
    texts,
    changed,
    vscode.workspace.registerTextDocumentContentProvider(SCHEMES.document, {
      onDidChange: texts.event,
      provideTextDocumentContent: async (uri) =>
        (await (sessions.of(uri)?.documents.render(uri) ?? noFolder())).text,
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => sessions.of(uri)?.documents.forget(uri)),
    vscode.workspace.onDidOpenTextDocument(setLanguage),
  ];
  return {
    rendered: (uri: vscode.Uri) => sessions.of(uri)?.documents.rendered(uri) ?? noFolder(),
    /** Fires when the texts, and the links and actions on their lines, may have changed. */
    onDidChange: changed.event,
    /** Shows the current content of a folder's documents. */
    refresh({ folder }: Session) {
      for (const { uri } of vscode.workspace.textDocuments)
        if (
          uri.scheme === SCHEMES.document &&
          sessions.of(uri)?.session.folder === folder &&
          !isOverview(uri)
        )
          texts.fire(uri);
      changed.fire();
    },
    dispose: () => vscode.Disposable.from(...subscriptions).dispose(),
  };
}

/** An overview is a snapshot, because reading all runs and recordings at each change would keep the disk busy. */
const isOverview = (uri: vscode.Uri): boolean => "overview" in (readSubjectOfUri(uri)?.of ?? {});

async function noFolder(): Promise<RenderedDocument> {
  const { renderPlainDocument: plainDocument } = await import("./document-content-model.ts");
  return plainDocument(localize("The folder of this call is no longer open in this window."));
}

/** Sets the language of a document, in case the user's file associations override it. */
function setLanguage(document: vscode.TextDocument): void {
  const subject = readSubjectOfUri(document.uri);
  const language = subject && getLanguage(subject);
  if (language !== undefined && document.languageId !== language)
    void vscode.languages.setTextDocumentLanguage(document, language);
}
