import { isTapedeckError, type TapedeckError } from "../../base/errors.ts";
import { localize } from "../../base/localize.ts";
import type { CallBudget } from "../budget/budget.ts";
import { findSpentBudget, type Limits } from "../budget/limits.ts";
import type { CallCounts, Settled } from "../../call/call.ts";
import type { Clock } from "../../base/clock.ts";
import { giveBackNumber } from "../runs.ts";
import { joinBytes } from "../../base/wire/text.ts";
import { isSentAgain } from "./judge.ts";
import { keep, type Received } from "./save.ts";
import { KEPT_LIMIT_BYTES } from "./tape.ts";

/** How long a stream may stay open after its terminal event. */
const AFTER_TERMINAL_MS = 5_000;

/** An answer that is being streamed from the provider to the client. */
export interface Relay extends Received {
  readonly paying: CallBudget;
  /** The counters that counted the call. */
  readonly counts: CallCounts;
  readonly channel: Channel;
  /** Ends the connection to the provider. */
  readonly stop: AbortController;
  readonly leaving: Leaving;
}

/** Something that happens once and can be waited for. */
export interface OneTimeEvent {
  readonly happened: Promise<void>;
  /** The clock's ticks when it happened. */
  readonly ticks: number | undefined;
  happen(): void;
}

export function createSignal(clock: Pick<Clock, "ticks">): OneTimeEvent {
  let resolve = (): void => {};
  let ticks: number | undefined;
  const happened = new Promise<void>((settle) => (resolve = settle));
  return {
    happened,
    get ticks() {
      return ticks;
    },
    happen() {
      ticks ??= clock.ticks();
      resolve();
    },
  };
}

/** Signals that other code waits for while an answer is streamed. */
export interface Progress {
  readonly first: OneTimeEvent;
  readonly tooLarge: OneTimeEvent;
  /** The reader starts only when the answer is complete or too large, so the channel cannot apply backpressure. */
  readonly isWaitedFor: boolean;
}

/** Reads the upstream no faster than its client reads, so that an endless stream does not use unbounded memory. */
function roomIn({ tape, channel }: Relay, { tooLarge, isWaitedFor }: Progress): Promise<void> | undefined {
  const isTooLarge = tape.sizeBytes > KEPT_LIMIT_BYTES;
  if (isTooLarge) tooLarge.happen();
  return isWaitedFor && !isTooLarge ? undefined : channel.room();
}

/** Forwards the bytes and records the answer if it is complete. The last bytes are sent only after that. */
export async function passOn(passing: Relay, progress: Progress): Promise<Settled> {
  const { tape, channel } = passing;
  const cut = await pump(passing, progress);
  passing.leaving.end();
  if (cut === undefined) tape.end();
  progress.first.happen();
  const isLeft = passing.isEndless && passing.leaving.hasLeft;
  if (isLeft) tape.endEarly();
  passing.related?.dispose();
  if (passing.stop.signal.aborted && !tape.over && !isLeft) {
    const charge = chargeFor(passing);
    giveBackNumber(passing.counts, passing.exchange);
    channel.close(cut?.error);
    return {
      outcome: "forwarded",
      charge,
      reason: localize("{0}; it was not recorded.", passing.leaving.why),
    };
  }
  const { undecoded } = passing.incoming;
  const kept = await keep(passing, undecoded !== undefined || (cut !== undefined && !isLeft), isLeft);
  if (kept.outcome !== "recorded" && isMadeAgain(passing)) giveBackNumber(passing.counts, passing.exchange);
  // Charge before the last bytes are sent, so that this call is counted before the client makes its next one.
  const settled = { ...kept, ...reasonOf(kept, { cut: cut?.error, undecoded }), charge: chargeFor(passing) };
  channel.push(tape.held());
  channel.close(cut !== undefined && !tape.over ? cut.error : undefined);
  return settled;
}

/** Returns why an answer whose connection did not break off was not recorded, if its content encoding is the reason. */
function reasonOf(
  { outcome, reason }: Settled,
  { cut, undecoded }: { readonly cut: unknown; readonly undecoded: TapedeckError | undefined },
): Pick<Settled, "reason" | "hint"> {
  if (outcome === "recorded" || reason === undefined) return {};
  if (isTapedeckError(cut))
    return { reason: localize("{0}; the client got an error.", cut.message), hint: cut.hint };
  return undecoded === undefined
    ? {}
    : {
        reason: localize("{0}; it was forwarded and not recorded.", undecoded.message),
        hint: undecoded.hint,
      };
}

/**
 * Whether clients repeat a call that got this answer, to retry it or to poll for an unfinished result. The next call then
 * gets the same number, and its answer becomes the take. Any other answer that is not recorded leaves its number unused.
 */
function isMadeAgain({ incoming, exchange, tape }: Relay): boolean {
  const { status } = incoming;
  if (status >= 400) return isSentAgain(status);
  return exchange.protocol.unfinished?.(tape.body()) !== undefined;
}

/** Reads the upstream to its end. Returns the error if one cut it off. */
async function pump(passing: Relay, progress: Progress): Promise<{ readonly error: unknown } | undefined> {
  const { tape, channel, incoming, parts, stop } = passing;
  const reader = incoming.body[Symbol.asyncIterator]();
  const overdue = { done: true, value: undefined } as const;
  /** A single timeout for everything after the terminal event. */
  let patience: Promise<typeof overdue> | undefined;
  try {
    while (true) {
      const next = reader.next();
      if (tape.over) patience ??= parts.clock.wait(AFTER_TERMINAL_MS, stop.signal).then(() => overdue);
      const step = await (patience === undefined ? next : Promise.race([next, patience]));
      if (step === overdue) {
        next.catch(() => {});
        stop.abort();
      }
      if (step.done === true) return undefined;
      channel.push(tape.push(step.value));
      passing.leaving.came();
      progress.first.happen();
      const room = roomIn(passing, progress);
      if (room !== undefined) await room;
    }
  } catch (error) {
    return { error };
  }
}

function chargeFor({ paying, incoming, tape, type }: Relay): ReturnType<CallBudget["charge"]> {
  const { sizeBytes } = tape;
  const contentType = type === undefined ? {} : { contentType: type };
  return paying.charge({ status: incoming.status, body: tape.body(), sizeBytes, ...contentType });
}

/** Maximum time for draining a stream after its client has left: 2 minutes. */
const READ_ON_MS = 120_000;
/** Maximum size of a drained stream, including the bytes before the client left: 16 MiB, far more than any text. */
const READ_ON_BYTES = 16 * 1_048_576;

/** Handles an answer whose client leaves before its end. */
export interface Leaving {
  /** The client has left. */
  leave(): void;
  /** Call this for each chunk: it stops reading if the stream gets too large after the client left. */
  came(): void;
  /** The answer has ended. */
  end(): void;
  readonly hasLeft: boolean;
  /** Why the rest was not read, as a sentence without its period. */
  readonly why: string;
}

/**
 * A program that stops reading a stream early (`break` in its loop) does so in every run. The rest of the stream is paid
 * for, so it is drained and recorded, within the limits for time, size, and spending. A stream whose client received
 * nothing is not drained, because a client that timed out retries.
 */
export function createLeaving(
  passing: Pick<Received, "parts" | "exchange" | "keeping" | "incoming" | "tape" | "isEndless"> & {
    readonly channel: Channel;
    readonly stop: AbortController;
  },
  options: { readonly isSeen: boolean; readonly limits: () => Limits },
): Leaving {
  const { parts, exchange, keeping, incoming, tape, channel, stop } = passing;
  /** Created only when needed, because few clients leave early. */
  let waiting: AbortController | undefined;
  let [hasLeft, hasEnded] = [false, false];
  let cause: string | undefined;
  const give = (reason?: string): void => {
    cause = reason;
    stop.abort();
  };
  const isWorthIt = options.isSeen && keeping !== "pass" && incoming.status >= 200 && incoming.status < 300;
  return {
    leave() {
      if (hasLeft || hasEnded) return;
      hasLeft = true;
      channel.leave();
      // A stream without an end is recorded up to here.
      if (!isWorthIt || passing.isEndless) return give();
      const { calls: _, ...limits } = options.limits();
      const { spent } = exchange.call.run;
      if (findSpentBudget(limits, spent.total, exchange.provider.name) !== undefined)
        return give(localize("the spending limit is reached"));
      waiting = new AbortController();
      void parts.clock
        .wait(READ_ON_MS, waiting.signal)
        .then(() => (hasEnded ? undefined : give(localize("it did not end within two minutes"))));
    },
    came() {
      if (hasLeft && tape.sizeBytes > READ_ON_BYTES) give(localize("it is larger than 16 MiB"));
    },
    end() {
      hasEnded = true;
      waiting?.abort();
    },
    get hasLeft() {
      return hasLeft;
    },
    get why() {
      return cause === undefined
        ? localize("The client closed the connection before the end of the response")
        : localize("The client closed the connection, and the rest of the response was not read: {0}", cause);
    },
  };
}

/** A queue between one writer and one reader. `push` never waits; a writer that can wait uses `room`. */
export interface Channel {
  push(bytes: Uint8Array): void;
  /** Undefined if the reader keeps up; otherwise resolves when it has caught up or left, or the channel is closed. */
  room(): Promise<void> | undefined;
  /** The reader has left: drops all waiting and later bytes. */
  leave(): void;
  /** Ends the channel after the bytes already pushed. If there is an error, the reader throws it at the end. */
  close(error?: unknown): void;
  /** Removes and returns all unread bytes, if the channel was closed without an error and they are few. */
  whole(): Uint8Array | undefined;
  /** Can be read once. The end of the loop, early or not, calls `onLeave`. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Maximum size of unread bytes before the writer has to wait: 8 MiB. */
const WAITING_LIMIT_BYTES = 8 * 1_048_576;
/** Maximum waiting bytes that are sent in one piece; joining more would delay other calls. */
const ONE_PIECE_BYTES = 262_144;

export function createChannel(onLeave: () => void): Channel {
  return new Queue(onLeave);
}

class Queue implements Channel {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly #pieces: Uint8Array[] = [];
  #waitingBytes = 0;
  #end: { readonly error: unknown } | undefined;
  #isLeft = false;
  #wake = (): void => {};
  #caughtUp = (): void => {};

  constructor(onLeave: () => void) {
    this.bytes = this.#read(onLeave);
  }

  push(bytes: Uint8Array): void {
    if (this.#isLeft || bytes.byteLength === 0) return;
    this.#pieces.push(bytes);
    this.#waitingBytes += bytes.byteLength;
    this.#wake();
  }

  room(): Promise<void> | undefined {
    if (this.#waitingBytes <= WAITING_LIMIT_BYTES || this.#isLeft || this.#end !== undefined)
      return undefined;
    return new Promise((resolve) => (this.#caughtUp = resolve));
  }

  leave(): void {
    this.#isLeft = true;
    this.#pieces.length = 0;
    this.#caughtUp();
  }

  close(error?: unknown): void {
    this.#end ??= { error };
    this.#caughtUp();
    this.#wake();
  }

  whole(): Uint8Array | undefined {
    const isWhole = this.#end !== undefined && this.#end.error === undefined && !this.#isLeft;
    return isWhole && this.#waitingBytes <= ONE_PIECE_BYTES ? joinBytes(this.#pieces.splice(0)) : undefined;
  }

  async *#read(onLeave: () => void): AsyncGenerator<Uint8Array> {
    try {
      while (true) {
        const next = this.#pieces.shift();
        if (next !== undefined) {
          this.#waitingBytes -= next.byteLength;
          if (this.#waitingBytes <= WAITING_LIMIT_BYTES) this.#caughtUp();
          yield next;
        } else if (this.#end === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
        else break;
      }
      if (this.#end.error !== undefined) throw this.#end.error;
    } finally {
      this.leave();
      onLeave();
    }
  }
}
