import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { FolderSession, Sessions } from "../session/folder-session.ts";
import type { Session } from "../session/session.ts";
import type { DocumentSources } from "./render-document.ts";
import { createDocumentUri, readSubjectOfUri } from "./uris.ts";
import { throttle } from "../window/throttle.ts";
import type { OpenFinding } from "../findings/findings-model.ts";
import type { CallTarget } from "../calls/call-node-model.ts";
import { LANGUAGES, SCHEMES } from "../window/ids.ts";
import { explain } from "../../core/base/errors.ts";
import { readEarlier } from "../../storage/local/earlier.ts";
import { makeVisible } from "../../core/base/visible.ts";

/** The readable documents of a session's calls, and the findings that they show. */
export type Documents = ReturnType<typeof createDocuments>;

/** A folder with its documents. */
export interface DocumentFolder extends FolderSession {
  readonly index: RecordingIndex;
  readonly documents: Documents;
}

const REFRESH_MS = 300;
export function createDocuments(
  session: Session,
  { index, caches, log }: Omit<DocumentSources, "session" | "finding">,
) {
  const changed = new vscode.EventEmitter<void>();
  const seen = new Map<string, OpenFinding>();
  const cache = new Map<string, Promise<RenderedDocument>>();
  const finding = (id: string): OpenFinding | undefined => {
    const found = session.state.findings.find((one) => one.id === id) ?? seen.get(id);
    if (found) seen.set(id, found);
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
    /** Renders the current content. */
    render,
    /** Returns the last rendering; renders the document if there is none. */
    rendered: (uri: vscode.Uri) => cache.get(uri.toString()) ?? render(uri),
    forget: (uri: vscode.Uri) => void cache.delete(uri.toString()),
    /** Returns the last state of a finding, even after it was resolved. */
    finding,
    /** Fires when the texts, and the links and actions on their lines, may have changed. */
    onDidChange: changed.event,
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
    vscode.workspace.onDidOpenTextDocument(speakOurLanguage),
    sessions.forEach((one) =>
      one.documents.onDidChange(() => {
        for (const { uri } of vscode.workspace.textDocuments.filter(isOurs))
          if (sessions.of(uri) === one && !isOverview(uri)) texts.fire(uri);
        changed.fire();
      }),
    ),
  ];
  return {
    rendered: (uri: vscode.Uri) => sessions.of(uri)?.documents.rendered(uri) ?? noFolder(),
    onDidChange: changed.event,
    dispose: () => vscode.Disposable.from(...subscriptions).dispose(),
  };
}

/** An overview is a snapshot, because reading all runs and recordings at each change would keep the disk busy. */
const isOverview = (uri: vscode.Uri): boolean => "overview" in (readSubjectOfUri(uri)?.of ?? {});

async function noFolder(): Promise<RenderedDocument> {
  const { renderPlainDocument: plainDocument } = await import("./document-content-model.ts");
  return plainDocument(localize("The folder of this call is no longer open in this window."));
}

const isOurs = (document: vscode.TextDocument): boolean => document.uri.scheme === SCHEMES.document;

/** Sets the language of a document, in case the user's file associations override it. */
function speakOurLanguage(document: vscode.TextDocument): void {
  if (isOurs(document) && document.languageId !== LANGUAGES.document)
    void vscode.languages.setTextDocumentLanguage(document, LANGUAGES.document);
}

/** Provides readable documents of recordings as they were before re-recording, for comparison. */
export function registerEarlierDocuments(sessions: Sessions<DocumentFolder>): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEMES.earlier, {
    async provideTextDocumentContent(uri) {
      const subject = readSubjectOfUri(uri.with({ scheme: SCHEMES.document }));
      const session = sessions.of(uri)?.session;
      if (!session || !subject || !("entry" in subject.of)) return "";
      try {
        const { renderRecordingDocument: recordingDocument } = await import("./document-content-model.ts");
        const recording = await readEarlier(session.deck.dir, subject.of.entry);
        return recordingDocument(session.deck.describe(recording), subject.part, { now: Date.now() }).text;
      } catch (error) {
        return `${makeVisible(explain(error))}\n`;
      }
    },
  });
}

export function createEarlierUri(session: Session, entry: string, label: string | undefined): vscode.Uri {
  return createDocumentUri(session, { of: { entry }, part: "conversation" }, label).with({
    scheme: SCHEMES.earlier,
  });
}
