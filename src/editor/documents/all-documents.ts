import * as vscode from "vscode";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import { LANGUAGES, SCHEMES } from "../window/ids.ts";
import type { Sessions } from "../session/folder-session.ts";
import type { DocumentFolder } from "./documents.ts";
import { explain } from "../../core/base/errors.ts";
import { readEarlier } from "../../storage/local/earlier.ts";
import type { Session } from "../session/session.ts";
import { documentUri, subjectOf } from "./uris.ts";
import { visible } from "../../core/base/visible.ts";

/** The documents of all sessions, as the editor asks for them: each is its own session's. */
export interface AllDocuments extends vscode.Disposable {
  rendered(uri: vscode.Uri): Promise<RenderedDocument>;
  readonly onDidChange: vscode.Event<void>;
}

export function registerDocuments(sessions: Sessions<DocumentFolder>): AllDocuments {
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
    rendered: (uri) => sessions.of(uri)?.documents.rendered(uri) ?? noFolder(),
    onDidChange: changed.event,
    dispose: () => vscode.Disposable.from(...subscriptions).dispose(),
  };
}

/** An overview is of one moment: reading all runs and recordings at each change would keep the disk busy. */
const isOverview = (uri: vscode.Uri): boolean => "overview" in (subjectOf(uri)?.of ?? {});

async function noFolder(): Promise<RenderedDocument> {
  const { plainDocument } = await import("./document-content-model.ts");
  return plainDocument("The folder of this call is no longer open in this window.");
}

const isOurs = (document: vscode.TextDocument): boolean => document.uri.scheme === SCHEMES.document;

/** The address's folder chooses the language; this is for what a person's own associations say. */
function speakOurLanguage(document: vscode.TextDocument): void {
  if (isOurs(document) && document.languageId !== LANGUAGES.document)
    void vscode.languages.setTextDocumentLanguage(document, LANGUAGES.document);
}

/** Provides readable documents of recordings as they were before re-recording, for comparison. */
export function registerEarlierDocuments(sessions: Sessions<DocumentFolder>): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEMES.earlier, {
    async provideTextDocumentContent(uri) {
      const subject = subjectOf(uri.with({ scheme: SCHEMES.document }));
      const session = sessions.of(uri)?.session;
      if (!session || !subject || !("entry" in subject.of)) return "";
      try {
        const { recordingDocument } = await import("./document-content-model.ts");
        const recording = await readEarlier(session.deck.dir, subject.of.entry);
        return recordingDocument(session.deck.describe(recording), subject.part, { now: Date.now() }).text;
      } catch (error) {
        return `${visible(explain(error))}\n`;
      }
    },
  });
}

export function earlierUri(session: Session, entry: string, label: string | undefined): vscode.Uri {
  return documentUri(session, { of: { entry }, part: "conversation" }, label).with({
    scheme: SCHEMES.earlier,
  });
}
