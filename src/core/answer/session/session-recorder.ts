import { localize } from "../../base/localize.ts";
import { explain, isTapedeckError, type TapedeckError } from "../../base/errors.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import type { CallBudget } from "../budget/budget.ts";
import type { Settled } from "../../call/call.ts";
import type { Socket, SocketClose, SocketMessage } from "../../call/socket.ts";
import { encodeReceived, SESSION_STATUS, SESSION_TYPE, type CausedFrame } from "../../call/transcript.ts";
import type { Exchange } from "../../match/read-request.ts";
import { guardAnswer } from "../source/judge.ts";
import { reportUnrecorded, type KeepMode } from "../source/save.ts";
import { KEPT_LIMIT_BYTES } from "../source/tape.ts";
import { PROTOCOL_HEADER, runSessions, type RecordedSession } from "./find-sessions.ts";
import {
  createSessionExchange,
  describeSession,
  explainSessionEnd,
  addModel,
  readActivity,
  type SessionParts,
  writeCloseReason,
} from "./session-parts.ts";

/** A session that is being recorded. */
export interface RecordingSession {
  readonly exchange: Exchange;
  readonly keeping: KeepMode;
  /** The session that the new one replaces. */
  readonly replaced?: RecordedSession | undefined;
  readonly parts: SessionParts;
  readonly paying: CallBudget;
  readonly recordedAt: string;
  readonly protocol: string | undefined;
  readonly socket: Socket;
  readonly upstream: Socket;
  /** The messages and frames that were replayed before the provider was connected. */
  readonly before?: { readonly sent: readonly SocketMessage[]; readonly shown: readonly CausedFrame[] };
}

/** How a session ended. */
interface SessionEnd {
  readonly by: "client" | "server" | "stop";
  readonly close: SocketClose;
  /** Completes the closing handshake with the end that closed. */
  readonly answer: () => void;
}

/** Maximum wait for the end of a reply after the client has left. */
const REPLY_END_MS = 30_000;
const NO_FRAME = 1006;
const POLICY = 1008;
const GOING_AWAY: SocketClose = { code: 1001, reason: "" };

/** Passes messages on between a client and its provider, and records them when the session has ended. */
export class SessionRecorder {
  readonly #with: RecordingSession;
  readonly #sent: SocketMessage[] = [];
  readonly #received: CausedFrame[] = [];
  readonly #waitsMs: number[] = [];
  #lastTicks: number;
  #sizeBytes = 0;
  /** Whether a reply of the model has begun and not ended. */
  #isReplying = false;
  #onReplyEnd: (() => void) | undefined;
  /** The client's first message, which can name the model. */
  #first: SocketMessage | undefined;
  /** The server's messages since the last end of a reply. */
  #part: CausedFrame[] = [];
  /** Why the session may not go on. */
  #refusal: TapedeckError | undefined;
  #end!: (end: SessionEnd) => void;
  readonly #ended = new Promise<SessionEnd>((resolve) => (this.#end = resolve));

  constructor(session: RecordingSession) {
    this.#with = session;
    this.#sent.push(...(session.before?.sent ?? []));
    this.#received.push(...(session.before?.shown ?? []));
    this.#waitsMs.push(...this.#received.map(() => 0));
    this.#lastTicks = session.parts.clock.ticks();
  }

  async run(): Promise<Settled> {
    const { socket, upstream } = this.#with;
    socket.listen({
      message: (message) => {
        this.#lastTicks = this.#with.parts.clock.ticks();
        this.#keep(message, () => this.#sent.push(message));
        if (this.#first === undefined) {
          this.#first = message;
          this.#follow();
        }
        if (this.#refusal === undefined) upstream.send(message);
      },
      ping: () => {},
      close: (close, answer) => this.#end({ by: "client", close, answer }),
    });
    upstream.listen({
      message: (message) => {
        this.#keep(message, () => this.#receive({ after: this.#sent.length, frame: message }));
        if (this.#with.paying.follow !== undefined)
          this.#part.push({ after: this.#sent.length, frame: message });
        const hasEnded = this.#noteActivity(message);
        socket.send(message);
        if (hasEnded) this.#follow();
      },
      ping: (payload) => {
        this.#receive({ after: this.#sent.length, frame: { ping: payload } });
        socket.ping(payload);
      },
      close: (close, answer) => {
        this.#onReplyEnd?.();
        this.#end({ by: "server", close, answer });
      },
    });
    return this.#finish(await this.#ended);
  }

  stop(): void {
    this.#end({ by: "stop", close: GOING_AWAY, answer: () => {} });
    this.#onReplyEnd?.();
  }

  #keep(message: SocketMessage, add: () => void): void {
    this.#sizeBytes += "text" in message ? message.text.length : message.bytes.byteLength;
    if (this.#with.keeping !== "pass" && this.#sizeBytes <= KEPT_LIMIT_BYTES) add();
  }

  #receive(frame: CausedFrame): void {
    const now = this.#with.parts.clock.ticks();
    this.#received.push(frame);
    this.#waitsMs.push(Math.round(now - this.#lastTicks));
    this.#lastTicks = now;
  }

  /** Returns whether a reply has ended. */
  #noteActivity(message: SocketMessage): boolean {
    const activity = readActivity(message, this.#with.exchange.protocol);
    if (activity === "begins") this.#isReplying = true;
    if (activity !== "ends") return false;
    this.#isReplying = false;
    this.#onReplyEnd?.();
    return true;
  }

  /** Counts the last reply, and ends the session if the budget does not allow it to go on. */
  #follow(): void {
    const { exchange, paying, socket } = this.#with;
    const body = this.#part.length === 0 ? new Uint8Array() : encodeReceived(this.#part);
    this.#part = [];
    const answered = { status: 200, contentType: SESSION_TYPE, body, sizeBytes: body.byteLength };
    const refusal = paying.follow?.(answered, addModel(exchange, this.#first));
    if (refusal === undefined || this.#refusal !== undefined) return;
    this.#refusal = refusal;
    const text = exchange.protocol.session?.fail?.(refusal);
    if (text !== undefined) socket.send({ text });
    const close = { code: POLICY, reason: writeCloseReason(refusal.message) };
    socket.close(close);
    this.#end({ by: "stop", close, answer: () => {} });
  }

  async #finish(end: SessionEnd): Promise<Settled> {
    const { socket, upstream, keeping, parts } = this.#with;
    const { by, close } = end;
    const isLeaving = by === "client" && close.code !== NO_FRAME && this.#isReplying;
    if (isLeaving && keeping !== "pass") {
      // The client does not read the rest of the reply, so it does not wait for it.
      end.answer();
      await this.#waitForReplyEnd();
    }
    if (by === "server") this.#received.push({ after: this.#sent.length, frame: { close } });
    const settled = await this.#settle(end).catch((error: unknown): Settled => {
      const reason = isTapedeckError(error) ? error.message : explain(error);
      parts.warn(reason);
      return { outcome: "forwarded", reason, lost: reason };
    });
    if (by === "server") socket.close(close);
    else upstream.close(close.code === NO_FRAME ? GOING_AWAY : close);
    end.answer();
    return settled;
  }

  /** Resolves when the model's reply has ended, or takes too long. */
  async #waitForReplyEnd(): Promise<void> {
    const ended = new AbortController();
    this.#onReplyEnd = () => ended.abort();
    await this.#with.parts.clock.wait(REPLY_END_MS, ended.signal);
  }

  async #settle(end: SessionEnd): Promise<Settled> {
    const { exchange, keeping, parts, paying } = this.#with;
    const whole = await createSessionExchange(exchange, this.#sent, parts);
    const body = encodeReceived(this.#received);
    const answered = { status: 200, contentType: SESSION_TYPE, body, sizeBytes: body.byteLength };
    const base = { session: describeSession(whole), charge: paying.charge(answered, whole) };
    if (keeping === "pass" && this.#refusal === undefined) return { outcome: "forwarded", ...base };
    const fault = this.#fault(end);
    if (fault !== undefined) {
      parts.warn(localize("The session was not recorded: {0}.", fault));
      return { outcome: "forwarded", reason: fault, ...pickDefined({ hint: this.#refusal?.hint }), ...base };
    }
    const { protocol, recordedAt } = this.#with;
    const judged = await guardAnswer({
      parts: { ...parts, clock: { date: () => recordedAt } },
      exchange: whole,
      incoming: { status: SESSION_STATUS, headers: [] },
      tape: { body: () => body, waitsMs: this.#waitsMs, after: [] },
      type: SESSION_TYPE,
      framing: "events",
    });
    if (!("recording" in judged)) {
      const { refusal, ...more } = judged;
      return { ...reportUnrecorded(parts, refusal, more), ...base };
    }
    const { recording } = judged;
    const headers = protocol === undefined ? [] : [[PROTOCOL_HEADER, protocol] as const];
    const reply = { ...recording.reply, ...(headers.length > 0 && { headers }) };
    const entry = await this.#write({ ...recording, reply });
    runSessions(exchange.call.run).recorded.add(entry);
    return { outcome: "recorded", entry, ...base };
  }

  async #write(recording: RecordedSession["recording"]): Promise<string> {
    const { replaced: old, parts } = this.#with;
    const { store } = parts;
    const replaced = old?.entry;
    if (replaced !== undefined && old?.recording.key === recording.key) {
      await store.replace(replaced, recording, store.hashContent(replaced));
      return replaced;
    }
    const { entry } = await store.save(recording);
    // The old session is removed only when the new one is on disk.
    if (replaced !== undefined) await store.remove(replaced);
    return entry;
  }

  /** Returns why a session must not be recorded, as a sentence without its period. */
  #fault({ by, close }: SessionEnd): string | undefined {
    const { exchange, parts } = this.#with;
    const { name } = exchange.provider;
    if (this.#refusal !== undefined) return this.#refusal.message.replace(/[.。]$/, "");
    if (close.fault !== undefined) return close.fault;
    if (this.#sizeBytes > KEPT_LIMIT_BYTES) return localize("The session is larger than 256 MiB");
    if (close.code === NO_FRAME && by === "client")
      return localize("The client left without closing the WebSocket. Close it at the end of the test");
    if (close.code === NO_FRAME)
      return localize("The connection to {0} broke before the session was closed", name);
    return explainSessionEnd(name, {
      close: by === "server" ? close : undefined,
      isReplying: by === "stop" || this.#isReplying,
      recordsErrors: parts.record?.().errors,
    });
  }
}
