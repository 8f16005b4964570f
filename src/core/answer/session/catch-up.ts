import type { Clock } from "../../base/clock.ts";
import { readFields } from "../../base/lenient.ts";
import { plainJson } from "../../base/json/json-tree.ts";
import type { Socket, SocketListener, SocketMessage } from "../../call/socket.ts";
import type { Frame } from "../../call/transcript.ts";
import type { Exchange } from "../../match/read-request.ts";
import { isPiece, readMessageJson, pairIds, replaceIds } from "../../match/session-messages.ts";
import type { Departed } from "./session-parts.ts";

interface CatchingUp {
  readonly exchange: Exchange;
  readonly clock: Clock;
}

/** Maximum wait for the replies to an earlier message, and for further frames after them. */
const MOST_MS = 60_000;
const SILENCE_MS = 1_000;
const STEP_MS = 20;

/**
 * Sends an upstream the messages of a session that was replayed so far, each after the frames that preceded it. Returns a
 * socket that translates between the ids that the client knows and those of the upstream.
 */
export async function catchUp(
  upstream: Socket,
  { sent, shown }: Pick<Departed, "sent" | "shown">,
  { exchange, clock }: CatchingUp,
): Promise<Socket> {
  const heard = listenTo(upstream, clock);
  const theirIds = (): ReadonlyMap<string, string> =>
    pairIds(
      shown.map(({ frame }) => frame),
      heard.frames,
    );
  const { signal } = exchange.call;
  for (const [index, message] of sent.entries()) {
    const seen = shown.filter(({ after }) => after <= index).map(({ frame }) => frame);
    const [steps, ends] = [countSteps(seen), countEnds(seen, exchange)];
    const isSilent = (): boolean =>
      heard.frames.length > 0 &&
      countEnds(heard.frames, exchange) >= ends &&
      clock.ticks() - heard.lastTicks > SILENCE_MS;
    const until = clock.ticks() + MOST_MS;
    while (!heard.isClosed && clock.ticks() < until && countSteps(heard.frames) < steps && !signal.aborted) {
      if (isSilent()) break;
      await clock.wait(STEP_MS, signal);
    }
    upstream.send(replaceIds(message, theirIds()));
  }
  const ids = theirIds();
  return {
    ...upstream,
    send: (message) => upstream.send(replaceIds(message, ids)),
    listen: (listener) =>
      heard.passTo(listener, new Map([...ids].map(([shownId, theirs]) => [theirs, shownId]))),
  };
}

/** The frames of an upstream, kept until a client listens. */
interface UpstreamListener {
  readonly frames: readonly Frame[];
  readonly lastTicks: number;
  readonly isClosed: boolean;
  /** Passes all later frames on, with these ids replaced. */
  passTo(listener: SocketListener, ids: ReadonlyMap<string, string>): void;
}

function listenTo(upstream: Socket, clock: Clock): UpstreamListener {
  const frames: Frame[] = [];
  let lastTicks = clock.ticks();
  let ids: ReadonlyMap<string, string> = new Map();
  let listener: SocketListener | undefined;
  let closed: ((to: SocketListener) => void) | undefined;
  const take = (frame: SocketMessage | { readonly ping: Uint8Array }): void => {
    lastTicks = clock.ticks();
    if (listener === undefined) frames.push(frame);
    else if ("ping" in frame) listener.ping(frame.ping);
    else listener.message(replaceIds(frame, ids));
  };
  upstream.listen({
    message: take,
    ping: (ping) => take({ ping }),
    close(close, answer) {
      closed = (to) => to.close(close, answer);
      if (listener !== undefined) closed(listener);
    },
  });
  return {
    frames,
    get lastTicks() {
      return lastTicks;
    },
    get isClosed() {
      return closed !== undefined;
    },
    passTo(next, replaced) {
      [listener, ids] = [next, replaced];
      closed?.(next);
    },
  };
}

/** Counts the frames that are no pieces of a text or of audio. */
const countSteps = (frames: readonly Frame[]): number => frames.filter((frame) => !isPiece(frame)).length;

/** Counts the replies of the model that have ended. */
function countEnds(frames: readonly Frame[], { protocol }: Exchange): number {
  return frames.filter((frame) => {
    const tree = "text" in frame || "bytes" in frame ? readMessageJson(frame) : undefined;
    return tree !== undefined && protocol.session?.activity(readFields(plainJson(tree))) === "ends";
  }).length;
}
