import { beginPaying, wasNotSent, type BudgetRules } from "../budget/budget.ts";
import type { CassetteStore } from "../cassette/store.ts";
import { readyReply } from "../cassette/ready-reply.ts";
import type { Clock } from "../clock.ts";
import { clientLeft, noUpstream } from "../errors.ts";
import type { Answer, Settled } from "../call.ts";
import { contentTypeOf, isMedia } from "../wire/content-type.ts";
import { createChannel } from "./channel.ts";
import { forward, type Connect } from "./forward.ts";
import { standingRecording, type Keeping, type KeepingParts } from "./keep.ts";
import { createSignal, passOn } from "./pass-on.ts";
import { createSingleFlight } from "./single-flight.ts";
import { framingFor, settledAnswer, type AnswerSource, type Exchange } from "./source.ts";
import { createTape, type Tape } from "./tape.ts";

export interface UpstreamParts extends Omit<BudgetRules, "warn">, KeepingParts {
  /** Loads what connects: not before a mode needs it. */
  readonly connect: () => Promise<Connect>;
}

/** How long the headers of a stream wait for its terminal event, so that a short one can say `recorded` in them. */
const GRACE_MS = 15;
/** Where nothing more comes for so long, it is not going to be a short one. */
const PAUSE_MS = 5;

/** Forwards calls to the provider, and keeps the answers that are whole. */
export function upstream(parts: UpstreamParts, keeping: Keeping): AnswerSource {
  const flight = createSingleFlight();
  return {
    name: "upstream",
    async answer(exchange) {
      if (exchange.provider.upstream === undefined) throw noUpstream(exchange.provider.name);
      if (keeping !== "add") return exchangeWith(parts, exchange, keeping);
      const { key, ordinal, call } = exchange;
      // The same call from two tests at once is paid for once; a repeat within one test is a take of its own.
      return flight(`${call.run.id}\n${key}\n${ordinal}`, async (waited) => {
        const replay = waited ? await replayTake(parts.store, exchange) : undefined;
        return replay ?? exchangeWith(parts, exchange, keeping);
      });
    },
  };
}

async function replayTake(store: CassetteStore, exchange: Exchange): Promise<Answer | undefined> {
  const take = store.takes(exchange.provider.name, exchange.key)[exchange.ordinal - 1];
  if (take === undefined) return undefined;
  const reply = readyReply(take.entry, await store.reply(take.entry));
  return settledAnswer(reply, { outcome: "replayed", entry: take.entry });
}

async function exchangeWith(parts: UpstreamParts, exchange: Exchange, keeping: Keeping): Promise<Answer> {
  const standing = keeping === "replace" ? standingRecording(parts.store, exchange) : undefined;
  const paying = await beginPaying(parts, exchange);
  const gone = new AbortController();
  const { signal } = exchange.call;
  const leave = (): void => gone.abort();
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const sending = parts
    .connect()
    .then((connect) => forward(exchange.sent, exchange.provider, connect, gone.signal));
  const incoming = await sending.catch((error: unknown) => {
    if (wasNotSent(error)) paying.refund();
    paying.end();
    throw signal.aborted ? clientLeft() : error;
  });
  const type = contentTypeOf(incoming.headers).contentType;
  const framing = framingFor(exchange, type);
  const tape = createTape({ framing, stream: exchange.protocol.stream }, parts.clock);
  const channel = createChannel(leave);
  // A JSON answer is small and whole or useless: its headers wait for its end. What plays as it comes waits a moment.
  const live = framing !== undefined || exchange.facts.streaming || isMedia(type);
  const received = { parts, exchange, keeping, standing, incoming, tape, framing, type };
  const passing = { ...received, paying, channel, stop: gone };
  const first = createSignal();
  /** More came than can be kept: nothing is to be waited for. */
  const tooLarge = createSignal();
  const isWaitedFor = !live;
  const settled = passOn(passing, { first, tooLarge, isWaitedFor })
    .then((end) => ({ ...end, upstreamStatus: incoming.status }))
    .finally(() => {
      paying.end();
      signal.removeEventListener("abort", leave);
    });
  const patience = first.happened
    .then(() => endOrPause(tape, parts.clock))
    .then(() => (tape.over ? settled : undefined));
  const known = await Promise.race([settled, live ? patience : tooLarge.happened.then(() => undefined)]);
  const { outcome, entry }: Settled = known ?? { outcome: "forwarded" };
  const reply = { status: incoming.status, headers: incoming.headers, body: channel.bytes };
  return { outcome, reply, ...(entry !== undefined && { entry }), settled };
}

/** Resolves when a stream that has begun ends, pauses or has lasted long enough. */
async function endOrPause(tape: Tape, clock: Clock): Promise<void> {
  for (let waitedMs = 0; waitedMs < GRACE_MS; waitedMs += PAUSE_MS) {
    const { sizeBytes } = tape;
    await clock.wait(PAUSE_MS);
    if (tape.sizeBytes === sizeBytes) return;
  }
}
