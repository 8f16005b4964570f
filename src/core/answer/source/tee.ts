import type { Paying } from "../budget/budget.ts";
import { budgetSpent, type Limits } from "../budget/limits.ts";
import type { CallCounts, Settled } from "../../call/call.ts";
import type { Clock } from "../../base/clock.ts";
import { LARGE_BYTES } from "../../base/large.ts";
import { giveBackNumber } from "../runs.ts";
import { joinBytes } from "../../base/wire/text.ts";
import { isSentAgain } from "./judge.ts";
import { keep, type Received } from "./save.ts";
import { KEPT_LIMIT_BYTES } from "./tape.ts";

/** How long a stream may stay open after its terminal event. */
const AFTER_TERMINAL_MS = 5_000;

/** An answer on its way from the provider to the client. */
export interface Passing extends Received {
  readonly paying: Paying;
  /** Among which the call was counted. */
  readonly counts: CallCounts;
  readonly channel: Channel;
  /** Ends the connection to the provider. */
  readonly stop: AbortController;
  readonly leaving: Leaving;
}

/** Something that happens once and can be waited for. */
export interface Signal {
  readonly happened: Promise<void>;
  /** The clock's ticks when it happened. */
  readonly ticks: number | undefined;
  happen(): void;
}

export function createSignal(clock: Pick<Clock, "ticks">): Signal {
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

/** What others wait for while an answer passes. */
export interface Progress {
  readonly first: Signal;
  readonly tooLarge: Signal;
  /** Nobody reads before the answer is whole, or too large. */
  readonly isWaitedFor: boolean;
}

/** An upstream is read no faster than its client reads, so that a stream without end takes no memory without end. */
function roomIn({ tape, channel }: Passing, { tooLarge, isWaitedFor }: Progress): Promise<void> | undefined {
  const isTooLarge = tape.sizeBytes > KEPT_LIMIT_BYTES;
  if (isTooLarge) tooLarge.happen();
  return isWaitedFor && !isTooLarge ? undefined : channel.room();
}

/** Passes the bytes on, keeps the answer if it is whole, and only then lets the last bytes out. */
export async function passOn(passing: Passing, progress: Progress): Promise<Settled> {
  const { tape, channel } = passing;
  const cut = await pump(passing, progress);
  passing.leaving.end();
  if (cut === undefined) tape.end();
  progress.first.happen();
  if (passing.stop.signal.aborted && !tape.over) {
    const charge = chargeFor(passing);
    giveBackNumber(passing.counts, passing.exchange);
    channel.close(cut?.error);
    return {
      outcome: "forwarded",
      charge,
      reason: `${passing.leaving.why}; it was not recorded.`,
    };
  }
  const kept = await keep(passing, cut !== undefined);
  if (kept.outcome !== "recorded" && isMadeAgain(passing)) giveBackNumber(passing.counts, passing.exchange);
  // Before the last bytes: the client's next call finds this one counted.
  const settled = { ...kept, charge: chargeFor(passing) };
  channel.push(tape.held());
  channel.close(cut !== undefined && !tape.over ? cut.error : undefined);
  return settled;
}

/**
 * Whether clients make a call again that was answered so: the next one has its number, and its answer becomes the take.
 * What is still being made is asked for until it is there. Every other answer that is not recorded leaves its number
 * open.
 */
function isMadeAgain({ incoming, exchange, tape }: Passing): boolean {
  const { status } = incoming;
  if (status >= 400) return isSentAgain(status);
  return exchange.protocol.unfinished?.(tape.body()) !== undefined;
}

/** Reads the upstream to its end. Gives back the error that cut it off, if one did. */
async function pump(passing: Passing, progress: Progress): Promise<{ readonly error: unknown } | undefined> {
  const { tape, channel, incoming, parts, stop } = passing;
  const reader = incoming.body[Symbol.asyncIterator]();
  const overdue = { done: true, value: undefined } as const;
  /** One wait for all that follows the terminal event. */
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

function chargeFor({ paying, incoming, tape, type }: Passing): ReturnType<Paying["charge"]> {
  const { sizeBytes } = tape;
  const contentType = type === undefined ? {} : { contentType: type };
  return paying.charge({ status: incoming.status, body: tape.body(), sizeBytes, ...contentType });
}

/** So long a stream is read on once its client has left: 2 minutes. */
const READ_ON_MS = 120_000;
/** And so many bytes of it, those before included: 16 MiB, far more than words come to. */
const READ_ON_BYTES = 16 * 1_048_576;

/** What becomes of an answer whose client leaves before its end. */
export interface Leaving {
  /** The client has left. */
  leave(): void;
  /** Told with each piece: what came after the client left may be too much. */
  came(): void;
  /** Nothing of the answer is to come any more. */
  end(): void;
  /** Why the rest was not read, as a sentence without its full stop. */
  readonly why: string;
}

/**
 * A program that has seen enough of a stream (`break` in its loop) leaves it, and does so again in every run: what was
 * paid for is read to its end and recorded, as long as that is not too long, too large or beyond what may be spent.
 * What its client saw nothing of is not read on: a client that gave up waiting asks again.
 */
export function createLeaving(
  passing: Pick<Received, "parts" | "exchange" | "keeping" | "incoming" | "tape"> & {
    readonly channel: Channel;
    readonly stop: AbortController;
  },
  options: { readonly isSeen: boolean; readonly limits: () => Limits },
): Leaving {
  const { parts, exchange, keeping, incoming, tape, channel, stop } = passing;
  /** Made where it is needed: hardly any client leaves. */
  let waiting: AbortController | undefined;
  let [hasLeft, hasEnded] = [false, false];
  let why = "The client left before the answer was whole";
  const give = (reason?: string): void => {
    if (reason !== undefined) why = `The client left, and the rest of the answer was not read: ${reason}`;
    stop.abort();
  };
  const isWorthIt = options.isSeen && keeping !== "pass" && incoming.status >= 200 && incoming.status < 300;
  return {
    leave() {
      if (hasLeft || hasEnded) return;
      hasLeft = true;
      channel.leave();
      if (!isWorthIt) return give();
      const { calls: _, ...limits } = options.limits();
      const { spent } = exchange.call.run;
      if (budgetSpent(limits, spent.total, exchange.provider.name) !== undefined)
        return give("nothing is left to spend");
      waiting = new AbortController();
      void parts.clock
        .wait(READ_ON_MS, waiting.signal)
        .then(() => (hasEnded ? undefined : give("it did not end within two minutes")));
    },
    came() {
      if (hasLeft && tape.sizeBytes > READ_ON_BYTES) give("it is more than 16 MiB");
    },
    end() {
      hasEnded = true;
      waiting?.abort();
    },
    get why() {
      return why;
    },
  };
}

/** A queue between one writer and one reader: `push` never waits, reading does; `room` is for a writer that can wait. */
export interface Channel {
  push(bytes: Uint8Array): void;
  /** Undefined where the reader keeps up; else resolves when it has caught up, or left, or the channel is closed. */
  room(): Promise<void> | undefined;
  /** Nobody is going to read any more: what is pushed from now on is dropped. */
  leave(): void;
  /** Ends the reading after what was pushed; with an error, the reader throws it. */
  close(error?: unknown): void;
  /** All that is to be read, where that is there, not much and without an error: then nothing is left to read. */
  whole(): Uint8Array | undefined;
  /** Can be read once. Whoever leaves the loop, early or at its end, calls `onLeave`. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** So many bytes may wait for a reader before its writer does: 8 MiB. */
const WAITING_LIMIT_BYTES = 8 * 1_048_576;

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
    return isWhole && this.#waitingBytes <= LARGE_BYTES ? joinBytes(this.#pieces.splice(0)) : undefined;
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
