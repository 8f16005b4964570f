import * as vscode from "vscode";
import { tapedeckError } from "../../core/errors.ts";
import type { RenderedDocument } from "../../core/view/rendered-document.ts";
import type { Miss } from "../../core/call.ts";
import type { Log } from "../window/log.ts";
import { mockAnswers, type MockAnswer } from "../mocks/mock-answers-model.ts";
import type { Caches } from "../metagpt/caches.ts";
import type { Session } from "../session/session.ts";
import { failureDocument, missDocument, plainDocument, recordingDocument } from "./document-content-model.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { testDocument } from "./test-document.ts";
import { subjectOf, readablePath } from "./uris.ts";
import type { RecordingIndex } from "../calls-tree/recording-index-model.ts";
import { throttle } from "../calls-tree/throttle.ts";
import type { MissingCall } from "../session/missing-calls-model.ts";

/** The readable documents of a session's calls, and what is known of those that are open. */
export interface Documents extends vscode.Disposable {
  /** As it is now. */
  render(uri: vscode.Uri): Promise<RenderedDocument>;
  /** Renders it where that was not done yet. */
  rendered(uri: vscode.Uri): Promise<RenderedDocument>;
  forget(uri: vscode.Uri): void;
  /** A missing call as it was last seen, also after it was answered. */
  missing(id: string): MissingCall | undefined;
  /** The texts may have changed, and with them everything that belongs to their lines. */
  readonly onDidChange: vscode.Event<void>;
}

const REFRESH_MS = 300;
const UNKNOWN = [
  "This missing call is no longer known: the window was loaded anew, or Tapedeck was.",
  "Run its test again to see it here.",
].join("\n");

export function createDocuments(
  session: Session,
  { index, caches, log }: Pick<Sources, "index" | "caches" | "log">,
): Documents {
  const changed = new vscode.EventEmitter<void>();
  const seen = new Map<string, MissingCall>();
  const cache = new Map<string, Promise<RenderedDocument>>();
  const missing = (id: string): MissingCall | undefined => {
    const { missing: missed, madeUp } = session.state;
    const call = [...missed, ...madeUp].find((one) => one.id === id) ?? seen.get(id);
    if (call) seen.set(id, call);
    return call;
  };
  const render = (uri: vscode.Uri): Promise<RenderedDocument> => {
    const rendering = renderSubject(subjectOf(uri), { session, index, caches, log, missing }).catch(
      failureDocument,
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
    session.onDidChangeRecordings(update),
    caches.onDidChange(update),
  ];
  return {
    render,
    rendered: (uri) => cache.get(uri.toString()) ?? render(uri),
    forget: (uri) => void cache.delete(uri.toString()),
    missing,
    onDidChange: changed.event,
    dispose: () => vscode.Disposable.from(...subscriptions).dispose(),
  };
}

/** A page is not kept from anybody because a mock cannot answer, or what makes answers up cannot be loaded. */
async function mocksOf(miss: Miss, { session, log }: Sources): Promise<readonly MockAnswer[]> {
  if (!session.trusted) return [];
  try {
    return await mockAnswers(miss, session.deck);
  } catch (error) {
    log.error("mocks", error);
    return [];
  }
}

interface Sources {
  readonly log: Log;
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly caches: Caches;
  readonly missing: (id: string) => MissingCall | undefined;
}

async function renderSubject(
  subject: DocumentSubject | undefined,
  sources: Sources,
): Promise<RenderedDocument> {
  if (subject === undefined)
    throw tapedeckError("tapedeck_cassette", "This address names no call.", {
      hint: "Open it from the view Calls.",
    });
  const { of, part } = subject;
  if ("test" in of) return testDocument(of.test, sources);
  const now = Date.now();
  if ("cached" in of) {
    const { recording, line } = await sources.caches.find(of.cached);
    const path = `${of.cached.file}:${line}`;
    return recordingDocument(sources.session.deck.describe(recording), part, { now, path });
  }
  if ("missing" in of) {
    const call = sources.missing(of.missing);
    if (call === undefined) return plainDocument(UNKNOWN);
    const { miss, test, count, madeUp } = call;
    const { deck } = sources.session;
    const answer = deck.answerTo(miss);
    return missDocument({ miss, view: deck.describeRequest(miss) }, part, {
      now,
      count,
      test,
      ...(answer && { answeredBy: answer.entry }),
      ...(madeUp && { madeUp: { by: madeUp.by, view: deck.describeMadeUp(madeUp) } }),
      ...(part === "all" && !answer && !madeUp && { mocks: await mocksOf(miss, sources) }),
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
