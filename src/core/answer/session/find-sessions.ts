import { compareTexts } from "../../base/compare.ts";
import { computeKey, type Normalizer } from "../../match/key/key.ts";
import { createSessionIds, createMessageRules, type SessionIds } from "../../match/session-messages.ts";
import { findProtocol, readOperationRequest, type Exchange } from "../../match/read-request.ts";
import type { RequestFacts } from "../../protocol/base/protocol.ts";
import type { ProviderTable } from "../../protocol/registry.ts";
import type { Recording } from "../../cassette/recording.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import {
  decodeReceived,
  decodeSent,
  SESSION_STATUS,
  type CausedFrame,
  type Frame,
} from "../../call/transcript.ts";
import type { Run, TestRef } from "../../call/call.ts";
import type { SocketMessage, SocketRequest } from "../../call/socket.ts";
import { handleTapedeckErrors } from "../../base/errors.ts";
import type { SessionParts } from "./session-parts.ts";

/** A recorded session, prepared for comparisons. */
export interface RecordedSession {
  readonly entry: string;
  readonly recording: Recording;
  readonly sent: readonly SocketMessage[];
  readonly received: readonly CausedFrame[];
  /** Whether the server sent pings. */
  readonly hasPings: boolean;
  /** The client's messages as they are compared. */
  readonly messages: readonly string[];
  /** The server's frames as they are compared. Read on first use. */
  readonly frames: readonly string[];
  readonly ids: Pick<SessionIds, "server" | "client">;
  /** Read on first use. */
  readonly facts: RequestFacts;
  /** The subprotocol that the server chose. */
  readonly protocol: string | undefined;
}

interface KnownRecording {
  readonly standing: string | undefined;
  readonly normalize: Normalizer | undefined;
  /** Undefined if the recording is not a session. */
  readonly session: RecordedSession | undefined;
}

const knownByStore = new WeakMap<CassetteStore, Map<string, KnownRecording>>();

/** The entries of the sessions that a run has replayed and recorded. */
interface RunSessions {
  readonly used: Set<string>;
  readonly recorded: Set<string>;
}

const sessionsOfRun = new WeakMap<Run["counts"], RunSessions>();

/** Returns the sessions of a run since its counters were reset. */
export function runSessions({ counts }: Run): RunSessions {
  const known = sessionsOfRun.get(counts) ?? { used: new Set(), recorded: new Set() };
  sessionsOfRun.set(counts, known);
  return known;
}

/**
 * Returns the recorded sessions that a client's handshake can mean, the most likely one first: sessions of the same test
 * before others, unused ones before those that this run has replayed.
 */
export async function findSessions(
  exchange: Exchange,
  { protocols }: Pick<SocketRequest, "protocols">,
  parts: SessionParts,
): Promise<readonly RecordedSession[]> {
  const all = await readSessions(exchange, parts);
  const normalize = parts.normalizer?.();
  const fitting = all.filter(({ recording, protocol }) => {
    if (protocol !== undefined && !protocols.includes(protocol)) return false;
    const { provider, operation, request } = recording;
    const { method, headers = exchange.headers } = request;
    const path = withVersionOf(exchange.call.path, request.path);
    const address = { provider, operation, method, path, body: { kind: "empty" } as const };
    return computeKey({ ...address, ...(headers && { headers }) }, parts.sha256, normalize) === exchange.key;
  });
  const { used } = runSessions(exchange.call.run);
  const rank = ({ entry, recording }: RecordedSession): number =>
    (isOfTest(recording.test, exchange.call.test) ? 0 : 2) + (used.has(entry) ? 1 : 0);
  return fitting.toSorted(
    (one, other) =>
      rank(one) - rank(other) || compareTexts(one.recording.recordedAt, other.recording.recordedAt),
  );
}

/** The version in the path of Gemini Live. Its clients differ in it, and not in their messages. */
const LIVE_VERSION = /(?<=\/ws\/google\.ai\.generativelanguage\.)v\w+(?=\.)/;

/** Returns the recorded path of Gemini Live with the version of the client's path, and any other path as it is. */
function withVersionOf(path: string, recorded: string): string {
  const version = LIVE_VERSION.exec(path)?.[0];
  return version === undefined ? recorded : recorded.replace(LIVE_VERSION, version);
}

/** Whether a session was recorded by this test, or by no test if the call has none. */
export function isOfTest(recorded: TestRef | undefined, test: TestRef | undefined): boolean {
  if (test === undefined || recorded === undefined) return test === recorded;
  return recorded.file === test.file && recorded.name.join("\n") === test.name.join("\n");
}

/** Returns the recorded sessions of an operation. Reads only recordings that are not known yet. */
async function readSessions(
  { provider, protocol }: Exchange,
  parts: SessionParts,
): Promise<readonly RecordedSession[]> {
  const { store, providers } = parts;
  const known = knownByStore.get(store) ?? new Map<string, KnownRecording>();
  knownByStore.set(store, known);
  const normalize = parts.normalizer?.();
  const found: RecordedSession[] = [];
  for (const address of await store.list()) {
    if (address.provider !== provider.name) continue;
    const before = known.get(address.entry);
    const isCurrent = before !== undefined && before.normalize === normalize;
    if (!isCurrent) known.set(address.entry, await read(address.entry, { store, normalize, providers }));
    const { session } = known.get(address.entry) ?? {};
    if (session !== undefined && session.recording.operation === protocol.operation) found.push(session);
  }
  return found;
}

/** Returns a session as it is on disk now; undefined if it was removed or is no session any more. */
export async function findCurrentSession(
  session: RecordedSession,
  parts: SessionParts,
): Promise<RecordedSession | undefined> {
  const { store, providers } = parts;
  const known = knownByStore.get(store)?.get(session.entry);
  const standing = store.hashContent(session.entry);
  if (known?.session === session && standing !== undefined && known.standing === standing) return session;
  const now = await read(session.entry, { store, normalize: parts.normalizer?.(), providers });
  knownByStore.get(store)?.set(session.entry, now);
  return now.session;
}

interface ReadingParts {
  readonly normalize: Normalizer | undefined;
  readonly providers: ProviderTable;
}

/** Reads a recording. A broken one is no session here; checks report it. */
async function read(
  entry: string,
  { store, ...parts }: ReadingParts & { readonly store: CassetteStore },
): Promise<KnownRecording> {
  const { normalize } = parts;
  const standing = store.hashContent(entry);
  const recording = await store.read(entry).catch(handleTapedeckErrors(() => undefined));
  const session =
    recording?.reply.status === SESSION_STATUS ? readSession(entry, recording, parts) : undefined;
  return { standing, normalize, session };
}

/** Reads a recording as a session; undefined if it is none. */
function readSession(
  entry: string,
  recording: Recording,
  { normalize, providers }: ReadingParts,
): RecordedSession | undefined {
  const { provider, operation, request, reply } = recording;
  const sent = decodeSent(request.body);
  const received = decodeReceived(reply.body);
  if (sent === undefined || received === undefined) return undefined;
  const { method, path } = request;
  const rules = createMessageRules({ provider, operation, method, path }, normalize);
  const readInOrder = (ids: SessionIds, readFrame: (frame: Frame) => void): readonly string[] => {
    const messages: string[] = [];
    const readMessages = (count: number): void => {
      for (const message of sent.slice(messages.length, count)) messages.push(ids.message(message));
    };
    for (const { after, frame } of received) {
      readMessages(after);
      readFrame(frame);
    }
    readMessages(sent.length);
    return messages;
  };
  const ids = createSessionIds(rules);
  const messages = readInOrder(ids, (frame) => ids.readFrame(frame));
  let frames: string[] | undefined;
  const protocol = reply.headers?.find(([name]) => name === PROTOCOL_HEADER)?.[1];
  let facts: RequestFacts | undefined;
  return {
    entry,
    recording,
    sent,
    received,
    hasPings: received.some(({ frame }) => "ping" in frame),
    messages,
    get frames() {
      if (frames !== undefined) return frames;
      const texts: string[] = [];
      const others = createSessionIds(rules);
      readInOrder(others, (frame) => texts.push(others.frame(frame)));
      return (frames = texts);
    },
    ids,
    protocol,
    get facts() {
      return (facts ??= findProtocol(recording, providers).facts(readOperationRequest(recording)));
    },
  };
}

/** The header of a session's reply that names the chosen subprotocol. */
export const PROTOCOL_HEADER = "sec-websocket-protocol";
