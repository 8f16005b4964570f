import { localize } from "../../base/localize.ts";
import { isTapedeckError, wasNotSent, type TapedeckError } from "../../base/errors.ts";
import type { Answer, Settled } from "../../call/call.ts";
import type { Socket, SocketClose, SocketListener, SocketMessage, SocketRequest } from "../../call/socket.ts";
import {
  createSessionIds,
  createMessageRules,
  isPiece,
  replaceIds,
  type SessionIds,
} from "../../match/session-messages.ts";
import type { Exchange } from "../../match/read-request.ts";
import type { CausedFrame } from "../../call/transcript.ts";
import { describeNearest, describePlace, getSessionAddress } from "./departure.ts";
import { continueSession } from "./record-session.ts";
import { findCurrentSession, runSessions, type RecordedSession } from "./find-sessions.ts";
import {
  createSessionExchange,
  describeSession,
  createOpenedAnswer,
  redactMessage,
  writeCloseReason,
  type SessionParts,
} from "./session-parts.ts";

/** Policy violation. Source: RFC 6455, 7.4.1. */
const MISS_CODE = 1008;

/** Replays a session: each message of the client gets the frames that followed it in the recording. */
export async function replaySession(
  exchange: Exchange,
  { request, sessions }: { readonly request: SocketRequest; readonly sessions: readonly RecordedSession[] },
  parts: SessionParts,
): Promise<Answer> {
  let first: RecordedSession | undefined;
  for (const session of sessions)
    if ((first ??= await findCurrentSession(session, parts)) !== undefined) break;
  // Some clients close a WebSocket at once if it has none of their subprotocols.
  const socket = await request.accept(first === undefined ? request.protocols[0] : first.protocol);
  const settled = new Promise<Settled>((settle, fail) => {
    new Replay({ exchange, request, socket, sessions, parts, settle, fail }, first).start();
  });
  return createOpenedAnswer(first === undefined ? "miss" : "replayed", settled, first?.entry);
}

interface ReplayParts {
  readonly exchange: Exchange;
  readonly request: Pick<SocketRequest, "protocols">;
  readonly socket: Socket;
  readonly sessions: readonly RecordedSession[];
  readonly parts: SessionParts;
  readonly settle: (settled: Settled) => void;
  readonly fail: (error: unknown) => void;
}

type ClientEvent =
  | { readonly message: SocketMessage }
  | { readonly close: SocketClose; readonly answer: () => void };

function passEvent(event: ClientEvent, to: SocketListener): void {
  if ("message" in event) to.message(event.message);
  else to.close(event.close, event.answer);
}

/** A session that is being replayed. */
class Replay {
  readonly #with: ReplayParts;
  #session: RecordedSession | undefined;
  /** Sessions whose messages are equal so far. */
  #candidates: readonly RecordedSession[];
  readonly #ids: SessionIds;
  readonly #sent: SocketMessage[] = [];
  #frames = 0;
  readonly #shown: CausedFrame[] = [];
  #others = {
    of: undefined as RecordedSession | undefined,
    ids: new Map<string, string>(),
    server: 0,
    client: 0,
  };
  #isOver = false;
  /** Listens in place of this replay when the provider continues the session. */
  #next: SocketListener | undefined;
  readonly #waiting: ClientEvent[] = [];
  /** Messages are handled one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(replaying: ReplayParts, session: RecordedSession | undefined) {
    const { exchange, parts, sessions } = replaying;
    this.#with = replaying;
    this.#session = session;
    this.#candidates = sessions;
    this.#ids = createSessionIds(createMessageRules(getSessionAddress(exchange), parts.normalizer?.()));
  }

  start(): void {
    const { socket, exchange } = this.#with;
    if (this.#session === undefined) return this.#queue(() => this.#depart(undefined));
    runSessions(exchange.call.run).used.add(this.#session.entry);
    this.#queue(() => this.#sendFrames());
    socket.listen({
      message: (message) => this.#queue(() => this.#arrive({ message })),
      ping: () => {},
      close: (close, answer) => this.#queue(() => this.#arrive({ close, answer })),
    });
  }

  #queue(task: () => void | Promise<void>): void {
    this.#work = this.#work.then(task).catch((error: unknown) => {
      this.#isOver = true;
      this.#with.socket.close({ code: 1011, reason: "Tapedeck failed" });
      this.#with.fail(error);
    });
  }

  /** Handles an event of the client. When the provider continues the session, events wait until it is ready. */
  #arrive(event: ClientEvent): void | Promise<void> {
    if (this.#next !== undefined) return passEvent(event, this.#next);
    if (this.#isOver) return void this.#waiting.push(event);
    return "message" in event ? this.#take(event.message) : this.#end(event.answer, event.close.fault);
  }

  async #take(message: SocketMessage): Promise<void> {
    const { exchange, parts } = this.#with;
    const text = this.#ids.message(redactMessage(message, exchange, parts));
    const at = this.#sent.push(message) - 1;
    const candidates = this.#candidates.filter(({ messages }) => messages[at] === text);
    const session = await this.#choose(candidates);
    if (session === undefined) {
      if (parts.mode !== "record") return this.#depart(message);
      // Later messages are handled while it runs.
      void this.#continue().catch(this.#with.fail);
      return undefined;
    }
    this.#candidates = candidates;
    return this.#sendFrames();
  }

  /** Stays with the present session if possible. Another one must have sent the same frames so far. */
  async #choose(candidates: readonly RecordedSession[]): Promise<RecordedSession | undefined> {
    const present = this.#session;
    if (present === undefined || candidates.includes(present)) return present;
    const before = present.frames.slice(0, this.#frames);
    const { exchange, parts } = this.#with;
    const { used } = runSessions(exchange.call.run);
    const same = candidates.filter(({ frames }) => before.every((text, index) => frames[index] === text));
    for (const next of [...same.filter(({ entry }) => !used.has(entry)), ...same]) {
      const current = await findCurrentSession(next, parts);
      if (current !== next) continue;
      // The present session was not replayed to its end, so other clients can get it.
      used.delete(present.entry);
      used.add(next.entry);
      return (this.#session = next);
    }
    return undefined;
  }

  /**
   * Sends the frames that follow the client's messages so far. A frame waits until the client has handled those before,
   * because many clients register a listener for the next event only then. Pieces of a reply that arrived together when they
   * were recorded also arrive together now.
   */
  async #sendFrames(): Promise<void> {
    const session = this.#session;
    const { socket, parts } = this.#with;
    const { received = [], recording, hasPings } = session ?? {};
    for (;;) {
      const { after = Infinity, frame: recorded } = received[this.#frames] ?? {};
      if (recorded === undefined || after > this.#sent.length || this.#isOver) return;
      const previous = received[this.#frames - 1]?.frame;
      const wait = recording?.reply.waitsMs?.[this.#frames];
      const isBurst = wait === 0 && previous !== undefined && isPiece(previous) && isPiece(recorded);
      // Pings of Tapedeck would be mixed with those of the provider.
      if (previous !== undefined && !isBurst && hasPings === false) await socket.settle();
      if (parts.timing === "recorded" && wait !== undefined && wait > 0)
        await parts.clock.wait(wait, this.#with.exchange.call.signal);
      const frame = replaceIds(recorded, this.#otherIds());
      this.#frames += 1;
      this.#ids.readFrame(frame);
      this.#shown.push({ after: this.#sent.length, frame });
      if ("ping" in frame) socket.ping(frame.ping);
      else if ("close" in frame) return this.#end(() => socket.close(frame.close));
      else socket.send(frame);
    }
  }

  /** Ids of the recording that have other values in this session. */
  #otherIds(): ReadonlyMap<string, string> {
    const session = this.#session;
    if (this.#others.of !== session) this.#others = { of: session, ids: new Map(), server: 0, client: 0 };
    const others = this.#others;
    for (const side of ["server", "client"] as const)
      for (; others[side] < this.#ids[side].length; others[side] += 1) {
        const value = this.#ids[side][others[side]] ?? "";
        const recorded = session?.ids[side][others[side]];
        if (recorded !== undefined && recorded !== value) others.ids.set(recorded, value);
      }
    return others.ids;
  }

  #end(close: () => void, fault?: string): void {
    this.#isOver = true;
    const { settle, parts } = this.#with;
    close();
    if (this.#session === undefined) return;
    const { entry, recording, sent, facts } = this.#session;
    const session = describeSession({ key: recording.key, facts });
    if (fault !== undefined) {
      const hint = localize("No recording can have this message. Send another one.");
      return settle({ outcome: "refused", reason: localize("{0}.", fault), hint, session });
    }
    const next = sent[this.#sent.length];
    // A client that waits for more gets no error, so this explains its timeout.
    if (next !== undefined)
      parts.warn(
        localize(
          "The client left the session {0} before {1} of {2}. If it waited for a reply, that came after this message.",
          entry,
          describePlace(next, this.#sent.length),
          sent.length,
        ),
      );
    settle({ outcome: "replayed", entry, session });
  }

  /** Continues the session at the provider, and records it as a new one. */
  async #continue(): Promise<void> {
    this.#isOver = true;
    const { exchange, parts, request, settle, socket } = this.#with;
    const { used } = runSessions(exchange.call.run);
    if (this.#session !== undefined) used.delete(this.#session.entry);
    const listen = (listener: SocketListener): void => {
      this.#next = listener;
      for (const event of this.#waiting.splice(0)) passEvent(event, listener);
    };
    const departed = {
      socket: { ...socket, listen },
      protocol: this.#session?.protocol,
      protocols: request.protocols,
      sent: this.#sent,
      shown: this.#shown,
    };
    try {
      settle(await continueSession(exchange, departed, parts));
    } catch (error) {
      if (!isTapedeckError(error)) throw error;
      const { message: reason, hint, code, status } = error;
      this.#fail(error);
      const outcome = wasNotSent(error) ? "refused" : "forwarded";
      settle({ outcome, reason, hint, failedWith: { code, status } });
    }
  }

  /** Sends a failure in the form of the API, and closes. */
  #fail(error: TapedeckError): void {
    const { exchange, socket } = this.#with;
    const text = exchange.protocol.session?.fail?.(error);
    if (text !== undefined) socket.send({ text });
    socket.close({ code: MISS_CODE, reason: writeCloseReason(`${error.code}: ${error.message}`) });
  }

  /** Reports a miss in the form of the API, and closes. */
  async #depart(message: SocketMessage | undefined): Promise<void> {
    this.#isOver = true;
    const { exchange, parts, settle } = this.#with;
    const missed = await createSessionExchange(exchange, this.#sent, parts);
    const session = this.#session;
    const nearest =
      session && message && describeNearest(session, missed, { message, at: this.#sent.length - 1, parts });
    const { error, miss } = parts.composeMiss(missed, nearest === undefined ? {} : { nearest });
    this.#fail(error);
    settle({ outcome: "miss", session: { ...describeSession(missed), miss: miss() } });
  }
}
