import { beginPaying, wasNotSent, type BudgetRules, type Paying } from "../budget/budget.ts";
import type { Recording } from "../cassette/recording.ts";
import type { Spending } from "../budget/spending.ts";
import type { CassetteStore } from "../cassette/store.ts";
import type { CarriedBy } from "../cassette/credentials.ts";
import { findCredentials } from "../cassette/find-credentials.ts";
import { withoutCredentials } from "../cassette/secrets.ts";
import type { Clock } from "../clock.ts";
import { guardRecording, type GuardedRecording, type Secrets } from "../secrets/guard.ts";
import { clientLeft, explain, noUpstream } from "../errors.ts";
import type { Answer, Settled, TestRef } from "../exchange.ts";
import { createChannel, type Channel } from "./channel.ts";
import { readBody } from "../match/canonical.ts";
import { contentTypeOf, isMedia } from "../wire/content-type.ts";
import { forward, type Connect, type IncomingReply } from "./forward.ts";
import { createSingleFlight } from "./single-flight.ts";
import { replyFrom } from "./recordings.ts";
import { framingFor, settledAnswer, type AnswerSource, type Exchange } from "./source.ts";
import { createTape, KEPT_LIMIT_BYTES, type Tape } from "./tape.ts";
import { saidInStream, whyNotWhole } from "./whole.ts";

export interface UpstreamParts extends BudgetRules {
  readonly store: CassetteStore;
  readonly clock: Clock;
  /** Loads what connects: not before a mode needs it. */
  readonly connect: () => Promise<Connect>;
  /** Told when an answer could not be kept although it should have been. */
  readonly warn: (message: string) => void;
  /** What is done about secrets in what is to be written; without it only the call's own credentials are looked for. */
  readonly secrets?: Secrets;
}

/** What is done with the answers: added as takes, put in the place of the takes that stand, or only passed on. */
type Keeping = "add" | "replace" | "pass";

/** How long the headers of a stream wait for its terminal event, so that a short one can say `recorded` in them. */
const GRACE_MS = 15;
/** How long a stream may stay open after its terminal event. */
const AFTER_TERMINAL_MS = 5_000;

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
  const reply = replyFrom(await store.reply(take.entry));
  return settledAnswer(reply, { outcome: "replayed", entry: take.entry });
}

async function exchangeWith(parts: UpstreamParts, exchange: Exchange, keeping: Keeping): Promise<Answer> {
  const paying = await beginPaying(parts, exchange);
  const gone = new AbortController();
  const { signal } = exchange.call;
  const leave = (): void => gone.abort();
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const connect = await parts.connect();
  const incoming = await forward(exchange.sent, exchange.provider, connect, gone.signal).catch(
    (error: unknown) => {
      if (wasNotSent(error)) paying.refund();
      throw signal.aborted ? clientLeft() : error;
    },
  );
  const type = contentTypeOf(incoming.headers).contentType;
  const framing = framingFor(exchange, type);
  const streamed = framing !== undefined;
  const tape = createTape({ framing, stream: exchange.protocol.stream }, parts.clock);
  const channel = createChannel(leave);
  // A JSON answer is small and whole or useless: its headers wait for its end. What plays as it comes waits a moment.
  const live = streamed || exchange.facts.streaming || isMedia(type);
  const passing = { parts, exchange, keeping, paying, incoming, tape, channel, streamed, type, stop: gone };
  const first = createSignal();
  /** More came than can be kept: nothing is to be waited for. */
  const tooLarge = createSignal();
  const isWaitedFor = !live;
  const settled = passOn(passing, { first, tooLarge, isWaitedFor })
    .then((end) => ({ ...end, upstreamStatus: incoming.status }))
    .finally(() => signal.removeEventListener("abort", leave));
  const patience = first.happened
    .then(() => parts.clock.wait(GRACE_MS))
    .then(() => (tape.over ? settled : undefined));
  const known = await Promise.race([settled, live ? patience : tooLarge.happened.then(() => undefined)]);
  const { outcome, entry }: Settled = known ?? { outcome: "forwarded" };
  const reply = { status: incoming.status, headers: incoming.headers, body: channel.bytes };
  return { outcome, reply, ...(entry !== undefined && { entry }), settled };
}

/** Something that happens once and can be waited for. */
interface Signal {
  readonly happened: Promise<void>;
  happen(): void;
}

function createSignal(): Signal {
  let happen = (): void => {};
  const happened = new Promise<void>((resolve) => (happen = resolve));
  return { happened, happen };
}

/** What others wait for while an answer passes. */
interface Progress {
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

interface Passing {
  readonly parts: UpstreamParts;
  readonly exchange: Exchange;
  readonly keeping: Keeping;
  readonly paying: Paying;
  readonly incoming: IncomingReply;
  readonly tape: Tape;
  readonly channel: Channel;
  readonly streamed: boolean;
  readonly type: string | undefined;
  readonly stop: AbortController;
}

/** Passes the bytes on, keeps the answer if it is whole, and only then lets the last bytes out. */
async function passOn(passing: Passing, progress: Progress): Promise<Settled> {
  const { tape, channel } = passing;
  const cut = await pump(passing, progress);
  if (cut === undefined) tape.end();
  progress.first.happen();
  if (passing.stop.signal.aborted && !tape.over) {
    const charge = chargeFor(passing);
    channel.close(cut?.error);
    return {
      outcome: "forwarded",
      charge,
      reason: "The client left before the answer was whole; it was not recorded.",
    };
  }
  const kept = await keep(passing, cut !== undefined);
  // Before the last bytes: the client's next call finds this one counted.
  const settled = { ...kept, charge: chargeFor(passing) };
  channel.push(tape.held());
  channel.close(cut !== undefined && !tape.over ? cut.error : undefined);
  return settled;
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
      progress.first.happen();
      const room = roomIn(passing, progress);
      if (room !== undefined) await room;
    }
  } catch (error) {
    return { error };
  }
}

function chargeFor({ paying, incoming, tape, type }: Passing): Spending {
  const { sizeBytes } = tape;
  const contentType = type === undefined ? {} : { contentType: type };
  return paying.charge({ status: incoming.status, body: tape.body(), sizeBytes, ...contentType });
}

async function keep(passing: Passing, cutOff: boolean): Promise<Settled> {
  const { keeping, parts, exchange, tape } = passing;
  if (keeping === "pass") return { outcome: "forwarded" };
  const { provider, protocol } = exchange;
  const { status } = passing.incoming;
  const fault = whyNotWhole({
    provider: provider.name,
    protocol,
    status,
    streamed: passing.streamed,
    tape,
    cutOff,
  });
  if (fault !== undefined)
    return { outcome: "forwarded", reason: `${fault}; it was passed on and not recorded.` };
  const guarded = await guard(passing);
  if ("refused" in guarded) return notKept(parts, guarded.refused, guarded);
  const { recording } = guarded;
  const leak = findCredentials(recording, carriedBy(exchange), streamedText(passing, recording));
  if (leak !== undefined) {
    return notKept(parts, `The answer was not recorded: ${leak}`);
  }
  try {
    const entry = await write(passing, recording);
    return { outcome: "recorded", entry };
  } catch (error) {
    const what = `The answer (${tape.sizeBytes} bytes) was passed on but could not be kept`;
    return notKept(parts, `${what}: ${explain(error)}`);
  }
}

/** What may be written once secrets were looked for. A scanner that fails lets nothing through. */
async function guard(passing: Passing): Promise<GuardedRecording> {
  const { exchange, parts, type } = passing;
  const recording = recordingOf(passing);
  if (parts.secrets === undefined) return { recording };
  const readText = (read: Recording): string => streamedText(passing, read);
  const framing = framingFor(exchange, type);
  try {
    return await guardRecording({ recording, sent: exchange.sent, framing, readText }, parts.secrets);
  } catch (error) {
    const refused = `The answer was not recorded: it could not be searched for secrets (${explain(error)}).`;
    return { refused, hint: "This is a fault in Tapedeck; please report it with the log.", fails: false };
  }
}

function carriedBy({ sent, protocol }: Exchange): CarriedBy {
  const { headers, path, body } = sent;
  const { operation } = protocol;
  return { headers, path, body: readBody({ body, operation, ...contentTypeOf(headers) }) };
}

/** An answer that should have been kept and is not: whoever watches is told. */
function notKept(
  { warn }: UpstreamParts,
  reason: string,
  more: { readonly hint?: string; readonly fails?: boolean } = {},
): Settled {
  const { hint, fails = false } = more;
  warn(hint === undefined ? reason : `${reason} ${hint}`);
  return {
    outcome: "forwarded",
    reason,
    ...(hint !== undefined && { hint }),
    ...(fails && { failsRun: true }),
  };
}

/** Empty for what is no stream, which is searched as it is. */
function streamedText({ streamed, exchange }: Passing, { reply }: Recording): string {
  return streamed ? saidInStream(exchange.protocol, reply) : "";
}

async function write({ parts, exchange, keeping }: Passing, recording: Recording): Promise<string> {
  const { store } = parts;
  const { key, provider, ordinal, call } = exchange;
  const takes = store.takes(provider.name, key);
  const standing = keeping === "replace" ? takes[ordinal - 1] : undefined;
  if (standing !== undefined) {
    await store.replace(standing.entry, recording);
    return standing.entry;
  }
  if (takes.length === 0) call.run.firstRecorded.add(key);
  return (await store.save(recording)).entry;
}

function recordingOf({ exchange, incoming, tape, type, streamed, parts }: Passing): Recording {
  const { call, key, provider, protocol, facts } = exchange;
  return {
    provider: provider.name,
    operation: protocol.operation,
    ...(facts.model !== undefined && { model: facts.model }),
    key,
    request: {
      method: call.method,
      path: withoutCredentials(call.path),
      body: call.body,
      ...contentTypeOf(call.headers),
    },
    reply: {
      status: incoming.status,
      ...(type !== undefined && { contentType: type }),
      body: tape.body(),
      ...(streamed && { waitsMs: [...tape.waitsMs] }),
    },
    recordedAt: parts.clock.date(),
    ...(call.test !== undefined && { test: storedTest(call.test) }),
  };
}

/** What of a test goes into a file: not the execution, which would differ in every recording. */
function storedTest({ file, name, line, runner }: TestRef): TestRef {
  return { file, name, ...(line !== undefined && { line }), ...(runner !== undefined && { runner }) };
}
