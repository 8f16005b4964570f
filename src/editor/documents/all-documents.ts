import * as vscode from "vscode";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import { LANGUAGES, SCHEMES } from "../window/ids.ts";
import type { Sessions } from "../window/sessions.ts";
import { plainDocument } from "./document-content-model.ts";

/** The documents of all sessions, as the editor asks for them: each is its own session's. */
export interface AllDocuments extends vscode.Disposable {
  rendered(uri: vscode.Uri): Promise<RenderedDocument>;
  readonly onDidChange: vscode.Event<void>;
}

export function registerDocuments(sessions: Sessions): AllDocuments {
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
          if (sessions.of(uri) === one) texts.fire(uri);
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

function noFolder(): Promise<RenderedDocument> {
  return Promise.resolve(plainDocument("The folder of this call is no longer open in this window."));
}

function isOurs(document: vscode.TextDocument): boolean {
  return document.uri.scheme === SCHEMES.document;
}

/** The address's folder chooses the language; this is for what a person's own associations say. */
function speakOurLanguage(document: vscode.TextDocument): void {
  if (isOurs(document) && document.languageId !== LANGUAGES.document)
    void vscode.languages.setTextDocumentLanguage(document, LANGUAGES.document);
}
