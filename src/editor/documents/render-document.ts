import { localize } from "../../core/base/localize.ts";
import { createTapedeckError } from "../../core/base/errors.ts";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import {
  renderFailureDocument,
  renderFindingDocument,
  renderMissDocument,
  renderPlainDocument,
  renderRecordingDocument,
} from "./document-content-model.ts";
import { type OpenFinding, isMissingCall } from "../findings/findings-model.ts";
import type { Session } from "../session/session.ts";
import type { Log } from "../window/log.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { formatReadablePath } from "./uris.ts";
import { createOverviewDocument, createTimelineDocument } from "./run-documents.ts";

/** The sources of documents. */
export interface DocumentSources {
  readonly log: Log;
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly finding: (id: string) => OpenFinding | undefined;
}

const UNKNOWN = [
  localize("This call is no longer missing or failed."),
  localize("Run its test again to see it here."),
].join("\n");

/** Renders the current state of a subject, or the reason why there is nothing to show. */
export async function renderDocument(
  subject: DocumentSubject | undefined,
  sources: DocumentSources,
): Promise<RenderedDocument> {
  return renderSubject(subject, sources).catch(renderFailureDocument);
}

async function renderSubject(
  subject: DocumentSubject | undefined,
  sources: DocumentSources,
): Promise<RenderedDocument> {
  if (subject === undefined)
    throw createTapedeckError("tapedeck_cassette", localize("This address does not belong to a call."), {
      hint: localize("Open the call from the Calls view."),
    });
  const { of, part } = subject;
  const now = Date.now();
  if ("overview" in of) return createOverviewDocument(of, sources.session);
  if ("timeline" in of) return createTimelineDocument(of, sources.session);
  if ("finding" in of) {
    const finding = sources.finding(of.finding);
    if (finding === undefined) return renderPlainDocument(UNKNOWN);
    if (!isMissingCall(finding)) return renderFindingDocument(finding, sources.session.state.findings);
    const { miss, test, count, madeUp } = finding;
    const { deck } = sources.session;
    const answer = deck.answerTo(miss);
    return renderMissDocument({ miss, view: deck.describeRequest(miss) }, part, {
      now,
      count,
      test,
      ...(answer && { answeredBy: answer.entry }),
      ...(madeUp && { madeUp: { by: madeUp.by, view: deck.describeMadeUp(madeUp) } }),
    });
  }
  const { session, index } = sources;
  const { state, deck } = session;
  await index.ensure([of.entry]);
  const view = await index.read(of.entry);
  const takes = deck.store.takes(view.recording.provider, view.recording.key);
  const k = takes.findIndex((take) => take.entry === of.entry) + 1;
  return renderRecordingDocument(view, part, {
    now,
    candidate: state.candidates.has(of.entry),
    isTeams: deck.team?.isTeams(of.entry) === true,
    usedBy: state.testsOf(of.entry),
    path: formatReadablePath(session, of.entry),
    ...(k > 0 && { take: { k, of: takes.length } }),
  });
}
