import type { Paying } from "../budget/budget.ts";
import type { Spending } from "../budget/spending.ts";
import type { CallCounts, Settled } from "../call.ts";
import type { Clock } from "../clock.ts";
import { giveBackNumber } from "../runs.ts";
import type { Channel } from "./channel.ts";
import { keep, type Received } from "./keep.ts";
import type { Leaving } from "./read-on.ts";
import { KEPT_LIMIT_BYTES } from "./tape.ts";
import { isSentAgain } from "./whole.ts";

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
    const charge = await chargeFor(passing);
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
  const settled = { ...kept, charge: await chargeFor(passing) };
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

function chargeFor({ paying, incoming, tape, type }: Passing): Promise<Spending> {
  const { sizeBytes } = tape;
  const contentType = type === undefined ? {} : { contentType: type };
  return paying.charge({ status: incoming.status, body: tape.body(), sizeBytes, ...contentType });
}
