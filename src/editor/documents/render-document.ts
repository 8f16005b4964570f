import { tapedeckError } from "../../core/base/errors.ts";
import { cachedEntry, type CachedRef } from "../../core/cassette/cached-ref.ts";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import type { Miss } from "../../core/call/call.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { Caches } from "../metagpt/caches.ts";
import { mockAnswers, type MockPreview } from "../mocks/mock-answers-model.ts";
import {
  findingDocument,
  failureDocument,
  missDocument,
  plainDocument,
  recordingDocument,
} from "./document-content-model.ts";
import { isMissingCall, type OpenFinding } from "../findings/findings-model.ts";
import type { Session } from "../session/session.ts";
import type { Log } from "../window/log.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { testDocument } from "./test-document.ts";
import { readablePath } from "./uris.ts";
import { overviewDocument } from "./overview-document.ts";

/** What documents are made of. */
export interface DocumentSources {
  readonly log: Log;
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly caches: Caches;
  readonly finding: (id: string) => OpenFinding | undefined;
}

const UNKNOWN = ["This call is no longer missing or failed.", "Run its test again to see it here."].join(
  "\n",
);

/** What there is to read of a subject now, or why there is nothing. */
export async function renderDocument(
  subject: DocumentSubject | undefined,
  sources: DocumentSources,
): Promise<RenderedDocument> {
  return renderSubject(subject, sources).catch(failureDocument);
}

async function renderSubject(
  subject: DocumentSubject | undefined,
  sources: DocumentSources,
): Promise<RenderedDocument> {
  if (subject === undefined)
    throw tapedeckError("tapedeck_cassette", "This address names no call.", {
      hint: "Open it from the view Calls.",
    });
  const { of, part } = subject;
  if ("test" in of) return testDocument(of.test, sources);
  const now = Date.now();
  if ("overview" in of) return overviewDocument(of, sources.session);
  if ("cached" in of) return cachedDocument(of.cached, part, sources);
  if ("finding" in of) {
    const finding = sources.finding(of.finding);
    if (finding === undefined) return plainDocument(UNKNOWN);
    if (!isMissingCall(finding)) return findingDocument(finding, sources.session.state.findings);
    const { miss, test, count, madeUp } = finding;
    const { deck } = sources.session;
    const answer = deck.answerTo(miss);
    return missDocument({ miss, view: deck.describeRequest(miss) }, part, {
      now,
      count,
      test,
      ...(answer && { answeredBy: answer.entry }),
      ...(madeUp && { madeUp: { by: madeUp.by, view: deck.describeMadeUp(madeUp) } }),
      ...(part === "all" &&
        !answer &&
        !madeUp &&
        miss.cacheFile === undefined && { mocks: await mocksOf(miss, sources) }),
    });
  }
  const { session, index } = sources;
  const { state, deck } = session;
  await index.ensure([of.entry]);
  const view = await index.read(of.entry);
  const takes = deck.store.takes(view.recording.provider, view.recording.key);
  const k = takes.findIndex((take) => take.entry === of.entry) + 1;
  return recordingDocument(view, part, {
    now,
    candidate: state.candidates.has(of.entry),
    isTeams: deck.team?.isTeams(of.entry) === true,
    usedBy: state.testsOf(of.entry),
    path: readablePath(session, of.entry),
    ...(k > 0 && { take: { k, of: takes.length } }),
  });
}

async function cachedDocument(
  ref: CachedRef,
  part: DocumentSubject["part"],
  { caches, session: { deck, state } }: DocumentSources,
): Promise<RenderedDocument> {
  const { recording, line } = await caches.find(ref);
  const usedBy = state.testsOf(cachedEntry(ref));
  return recordingDocument(deck.describe(recording), part, {
    now: Date.now(),
    path: `${ref.file}:${line}`,
    usedBy,
  });
}

/** A page is not kept from anybody because a mock cannot answer, or what makes answers up cannot be loaded. */
async function mocksOf(miss: Miss, { session, log }: DocumentSources): Promise<readonly MockPreview[]> {
  if (!session.trusted) return [];
  try {
    return await mockAnswers(miss, session.deck);
  } catch (error) {
    log.error("mocks", error);
    return [];
  }
}
