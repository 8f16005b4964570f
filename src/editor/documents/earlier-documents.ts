import * as vscode from "vscode";
import { explain } from "../../core/errors.ts";
import { readEarlier } from "../../storage/local/earlier.ts";
import { SCHEMES } from "../window/ids.ts";
import type { Session } from "../session/session.ts";
import type { Sessions } from "../window/sessions.ts";
import { recordingDocument } from "./document-content-model.ts";
import { documentUri, subjectOf } from "./document-uri.ts";
import { visible } from "../../core/view/visible.ts";

/** Readable documents of what refreshed recordings said before, for comparing. */
export function registerEarlierDocuments(sessions: Sessions): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEMES.earlier, {
    async provideTextDocumentContent(uri) {
      const subject = subjectOf(uri.with({ scheme: SCHEMES.document }));
      const session = sessions.of(uri)?.session;
      if (!session || !subject || !("entry" in subject.of)) return "";
      try {
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
