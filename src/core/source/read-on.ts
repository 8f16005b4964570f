import { budgetSpent, type Limits } from "../budget/limits.ts";
import type { Channel } from "./channel.ts";
import type { Received } from "./keep.ts";

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
