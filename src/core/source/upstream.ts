import { beginPaying, wasNotSent, type BudgetRules, type Paying } from "../budget/budget.ts";
import type { CassetteStore } from "../cassette/store.ts";
import type { Clock } from "../clock.ts";
import { clientLeft, noUpstream } from "../errors.ts";
import type { Answer, Settled } from "../call.ts";
import { contentTypeOf, isMedia } from "../wire/content-type.ts";
import { addressedTo } from "../protocol/kept-headers.ts";
import { giveBackNumber } from "../runs.ts";
import { createChannel } from "./channel.ts";
import { forward, type Connect, type IncomingReply } from "./forward.ts";
import { numberFor, standingRecording, takeOf, type Keeping, type KeepingParts } from "./keep.ts";
import { createSignal, passOn, type Passing, type Signal } from "./pass-on.ts";
import { createSingleFlight } from "./single-flight.ts";
import { createLeaving, type Leaving } from "./read-on.ts";
import type { StreamsUnderWay } from "./streams-under-way.ts";
import { framingFor, settledAnswer, wireReply, type AnswerSource, type Exchange } from "./source.ts";
import { createTape, type Tape } from "./tape.ts";

export interface UpstreamParts extends Omit<BudgetRules, "warn">, KeepingParts {
  /** Loads what connects: not before a mode needs it. */
  readonly connect: () => Promise<Connect>;
  /** Told of each stream that is to be recorded. */
  readonly streams?: StreamsUnderWay;
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
      await exchange.trial?.refresh();
      if (keeping !== "add") return exchangeNumbered(parts, exchange, keeping);
      const { key, ordinal, call, trial } = exchange;
      // The same call from two tests at once is paid for once; a repeat within one test is a take of its own.
      return flight(`${call.run.id}\n${trial?.name ?? key}\n${ordinal}`, async (waited) => {
        const replay = waited ? await replayTake(parts.store, exchange) : undefined;
        return replay ?? exchangeNumbered(parts, exchange, keeping);
      });
    },
  };
}

async function replayTake(store: CassetteStore, exchange: Exchange): Promise<Answer | undefined> {
  const take = takeOf(store, exchange);
  if (take === undefined) return undefined;
  const reply = await store.replay(exchange.provider.name, exchange.key, () => take.entry);
  if (reply === undefined) return undefined;
  return settledAnswer(wireReply(reply, exchange), { outcome: "replayed", entry: take.entry });
}

/** What never got an answer is made again, or was not sent: its number is the next identical call's. */
async function exchangeNumbered(parts: UpstreamParts, exchange: Exchange, keeping: Keeping): Promise<Answer> {
  const { counts } = exchange.call.run;
  try {
    return await exchangeWith(parts, exchange, keeping);
  } catch (error) {
    giveBackNumber(counts, exchange);
    throw error;
  }
}

async function exchangeWith(parts: UpstreamParts, exchange: Exchange, keeping: Keeping): Promise<Answer> {
  const place = reservePlace(exchange, parts.store, keeping);
  const paying = await beginPaying(parts, exchange);
  const gone = new AbortController();
  const { signal } = exchange.call;
  let leaving: Leaving | undefined;
  const leave = (): void => (leaving === undefined ? gone.abort() : leaving.leave());
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const incoming = await send(parts, exchange, { paying, gone });
  const type = contentTypeOf(incoming.headers).contentType;
  const framing = framingFor(exchange, type);
  const { stream } = exchange.protocol;
  const tape = createTape({ framing, stream, expectedBytes: expectedOf(incoming) }, parts.clock);
  const channel = createChannel(leave);
  // A JSON answer is small and whole or useless: its headers wait for its end. What plays as it comes waits a moment.
  const live = framing !== undefined || exchange.facts.streaming || isMedia(type);
  const passing: Omit<Passing, "leaving"> = {
    parts,
    exchange,
    keeping,
    ...place,
    paying,
    incoming,
    tape,
    channel,
    framing,
    type,
    stop: gone,
  };
  const first = createSignal(parts.clock);
  /** More came than can be kept: nothing is to be waited for. */
  const tooLarge = createSignal(parts.clock);
  const isWaitedFor = !live;
  leaving = createLeaving(passing, { isSeen: live, limits: () => parts.limits?.() ?? {} });
  const settled = passOn({ ...passing, leaving }, { first, tooLarge, isWaitedFor })
    .then((end) => ({ ...end, ...arrivalOf(first), upstreamStatus: incoming.status }))
    .finally(() => {
      paying.end();
      signal.removeEventListener("abort", leave);
    });
  if (live && keeping !== "pass") parts.streams?.add(settled, () => gone.abort());
  const patience = first.happened
    .then(() => endOrPause(tape, parts.clock))
    .then(() => (tape.over ? settled : undefined));
  const known = await Promise.race([settled, live ? patience : tooLarge.happened.then(() => undefined)]);
  const { outcome, entry }: Settled = known ?? { outcome: "forwarded" };
  const headers = addressedTo(exchange.call.base, incoming.headers, exchange.provider.upstream);
  // What is there as a whole by now goes out in one piece, as a replayed answer does.
  const body = (live || known === undefined ? undefined : channel.whole()) ?? channel.bytes;
  const reply = { status: incoming.status, statusText: incoming.statusText, headers, body };
  return { outcome, reply, ...(entry !== undefined && { entry }), settled };
}

function expectedOf({ headers }: IncomingReply): number {
  return Number(headers.find(([name]) => name === "content-length")?.[1] ?? 0) || 0;
}

function arrivalOf({ ticks }: Signal): Pick<Settled, "firstByteTicks"> {
  return ticks === undefined ? {} : { firstByteTicks: ticks };
}

/** Sends the call on. What failed before it was sent costs nothing. @throws TapedeckError where no answer comes. */
async function send(
  parts: UpstreamParts,
  { call, sent, provider }: Exchange,
  { paying, gone }: { readonly paying: Paying; readonly gone: AbortController },
): Promise<IncomingReply> {
  try {
    return await forward(sent, provider, await parts.connect(), gone.signal);
  } catch (error) {
    if (wasNotSent(error)) paying.refund();
    paying.end();
    throw call.signal.aborted ? clientLeft() : error;
  }
}

/** Where the answer is going to lie, settled before it is asked for. */
function reservePlace(
  exchange: Exchange,
  store: CassetteStore,
  keeping: Keeping,
): Pick<Passing, "standing" | "number" | "counts"> {
  const { counts } = exchange.call.run;
  const standing = keeping === "replace" ? standingRecording(store, exchange) : undefined;
  const isNew = keeping !== "pass" && standing === undefined;
  return { standing, number: isNew ? numberFor(store, exchange) : undefined, counts };
}

/** Resolves when a stream that has begun ends, pauses or has lasted long enough. */
async function endOrPause(tape: Tape, clock: Clock): Promise<void> {
  for (let waitedMs = 0; waitedMs < GRACE_MS; waitedMs += PAUSE_MS) {
    const { sizeBytes } = tape;
    await clock.wait(PAUSE_MS);
    if (tape.sizeBytes === sizeBytes) return;
  }
}
