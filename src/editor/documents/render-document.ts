import { localize } from "../../core/base/localize.ts";
import { explain, createTapedeckError } from "../../core/base/errors.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import type { TestRef } from "../../core/call/call.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { Caches } from "../metagpt/caches.ts";
import {
  SHOWN,
  renderFailureDocument,
  renderFindingDocument,
  renderMissDocument,
  renderPlainDocument,
  renderRecordingDocument,
} from "./document-content-model.ts";
import { type OpenFinding, isMissingCall, listMissingCalls } from "../findings/findings-model.ts";
import { readEarlier } from "../../storage/local/earlier.ts";
import type { Session } from "../session/session.ts";
import type { Log } from "../window/log.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { formatReadablePath } from "./uris.ts";
import { createOverviewDocument, createTimelineDocument } from "./run-documents.ts";
import { sortByAsking } from "../../core/view/conversation/asked-order.ts";
import { type AskedRecording, renderConversation } from "../../core/view/conversation-document.ts";
import { getTestId } from "../../core/call/test-names.ts";
import { listTestsOfEntry } from "./document-actions.ts";

export interface DocumentSources {
  readonly log: Log;
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly caches: Caches;
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
  if ("test" in of) return renderTestDocument(of.test, sources);
  if ("overview" in of) return createOverviewDocument(of, sources.session);
  if ("timeline" in of) return createTimelineDocument(of, sources.session);
  if ("finding" in of) return renderFinding(of.finding, part, sources);
  return renderEntry(of.entry, part, sources);
}

function renderFinding(
  id: string,
  part: DocumentSubject["part"],
  sources: DocumentSources,
): RenderedDocument {
  const { deck, state } = sources.session;
  const finding = sources.finding(id);
  if (finding === undefined) return renderPlainDocument(UNKNOWN);
  if (!isMissingCall(finding)) return renderFindingDocument(finding, state.findings);
  const { miss, test, count, madeUp } = finding;
  const answer = deck.answerTo(miss);
  return renderMissDocument({ miss, view: deck.describeRequest(miss) }, part, {
    now: Date.now(),
    count,
    test,
    ...(answer && { answeredBy: answer.entry }),
    ...(madeUp && { madeUp: { by: madeUp.by, view: deck.describeMadeUp(madeUp) } }),
  });
}

async function renderEntry(
  entry: string,
  part: DocumentSubject["part"],
  { session, index, caches }: DocumentSources,
): Promise<RenderedDocument> {
  const { state, deck } = session;
  const now = Date.now();
  const usedBy = state.usage.testsOf(entry);
  const cached = readCachedEntry(entry);
  if (cached) {
    const { recording, line } = await caches.find(cached);
    const path = `${cached.file}:${line}`;
    return renderRecordingDocument(deck.describe(recording), part, { now, path, usedBy });
  }
  if (part === "earlier")
    return renderRecordingDocument(deck.describe(await readEarlier(deck.dir, entry)), part, { now });
  await index.ensure([entry]);
  const view = await index.read(entry);
  const takes = deck.store.takes(view.recording.provider, view.recording.key);
  const k = takes.findIndex((take) => take.entry === entry) + 1;
  return renderRecordingDocument(view, part, {
    now,
    candidate: state.candidates.has(entry),
    isTeams: deck.team?.isTeams(entry) === true,
    usedBy,
    path: formatReadablePath(session, entry),
    ...(k > 0 && { take: { k, of: takes.length } }),
  });
}

/** Maximum number of calls that one document shows. */
const CALLS = 500;

type Test = Pick<TestRef, "file" | "name">;
type Sources = { readonly session: Session; readonly index: RecordingIndex };

/** Renders all calls of a test as conversations. */
export async function renderTestDocument(test: Test, sources: Sources): Promise<RenderedDocument> {
  const entries = await entriesOf(test, sources);
  if (entries.length === 0)
    return renderPlainDocument(localize("This test has no recordings. Record it to see its calls here."));
  const shown = entries.slice(0, CALLS);
  const recordings = await Promise.all(
    shown.map(async (entry): Promise<AskedRecording> => ({ entry, read: await readOne(entry, sources) })),
  );
  const knownTest = sources.session.state.usage
    .testsOf(shown[0] ?? "")
    .find((one) => getTestId(one) === getTestId(test));
  const missing = listMissingCalls(sources.session.state.findings).filter(
    (call) => call.test && getTestId(call.test) === getTestId(test),
  );
  return renderConversation(knownTest ?? test, recordings, {
    cutAt: SHOWN,
    more: entries.length - shown.length,
    missing: missing.length,
  });
}

async function readOne(entry: string, { index }: Sources): Promise<AskedRecording["read"]> {
  try {
    return await index.read(entry);
  } catch (error) {
    return { failure: explain(error) };
  }
}

/** Returns the recordings that a test used in its last run; if none is known, those that its files name. */
async function entriesOf(test: Test, { session, index }: Sources): Promise<readonly string[]> {
  const addresses = await index.addresses();
  const used = session.state.usage.entriesOf(test).filter((entry) => addresses.has(entry));
  if (used.length > 0) return used;
  index.readAll();
  await index.settled();
  const testId = getTestId(test);
  const own = [...addresses.values()].filter(({ entry }) =>
    listTestsOfEntry(entry, { session, index }).some((one) => getTestId(one) === testId),
  );
  const ordered = sortByAsking(own, [], (address) => {
    const facts = index.facts(address.entry);
    return { ...address, recordedAt: facts?.kind === "read" ? facts.recordedAt : Infinity };
  });
  return ordered.map(({ entry }) => entry);
}
