import type { Clock } from "../../base/clock.ts";
import type { Socket, SocketListener, SocketMessage } from "../../call/socket.ts";
import type { Frame } from "../../call/transcript.ts";
import type { Exchange } from "../../match/read-request.ts";
import { isPiece, pairIds, replaceIds } from "../../match/session-messages.ts";
import { readActivity, type DepartedSession } from "./session-parts.ts";

interface CatchingUp {
  readonly exchange: Exchange;
  readonly clock: Clock;
}

/** Maximum wait for the frames that preceded a message. */
const MOST_MS = 60_000;
/** Once all replies have ended, the wait also ends after this time without a frame. */
const SILENCE_MS = 1_000;
const STEP_MS = 20;

/**
 * Sends an upstream the messages of a session that was replayed so far, each after the frames that preceded it. Returns a
 * socket that translates between the ids that the client knows and those of the upstream.
 */
export async function catchUp(
  upstream: Socket,
  { sent, shown }: Pick<DepartedSession, "sent" | "shown">,
  { exchange, clock }: CatchingUp,
): Promise<Socket> {
  const received = listenTo(upstream, clock);
  const pairUpstreamIds = (): ReadonlyMap<string, string> =>
    pairIds(
      shown.map(({ frame }) => frame),
      received.frames,
    );
  const { signal } = exchange.call;
  for (const [index, message] of sent.entries()) {
    const preceding = shown.filter(({ after }) => after <= index).map(({ frame }) => frame);
    const [steps, ends] = [countSteps(preceding), countEnds(preceding, exchange)];
    const until = clock.ticks() + MOST_MS;
    const isReady = (): boolean => received.isClosed || countSteps(received.frames) >= steps;
    const isSilent = (): boolean =>
      received.frames.length > 0 &&
      clock.ticks() - received.lastTicks > SILENCE_MS &&
      countEnds(received.frames, exchange) >= ends;
    while (!signal.aborted && clock.ticks() < until && !isReady() && !isSilent())
      await clock.wait(STEP_MS, signal);
    upstream.send(replaceIds(message, pairUpstreamIds()));
  }
  const ids = pairUpstreamIds();
  return {
    ...upstream,
    send: (message) => upstream.send(replaceIds(message, ids)),
    listen: (listener) =>
      received.passTo(listener, new Map([...ids].map(([shownId, upstreamId]) => [upstreamId, shownId]))),
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

/** Counts the frames that are not pieces of a text or of audio. */
const countSteps = (frames: readonly Frame[]): number => frames.filter((frame) => !isPiece(frame)).length;

/** Counts the replies of the model that have ended. */
const countEnds = (frames: readonly Frame[], { protocol }: Exchange): number =>
  frames.filter((frame) => readActivity(frame, protocol) === "ends").length;
