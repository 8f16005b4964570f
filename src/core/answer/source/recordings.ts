import { localize } from "../../base/localize.ts";
import type { RecordedReply, RecordingAddress } from "../../cassette/recording.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import { createRecordingAddress, findTakeIndex, getLastTake } from "../../cassette/address.ts";
import type { Clock } from "../../base/clock.ts";
import { isTapedeckError } from "../../base/errors.ts";
import type { Answer, Call, Settled, WireHeaders, WireReply } from "../../call/call.ts";
import { httpProtocol } from "../../protocol/base/http.ts";
import { rewriteHeaderAddresses, withoutWaits } from "../../protocol/kept-headers.ts";
import { cutBody } from "../../base/wire/framing.ts";
import type { Repeats } from "../../config/config.ts";
import { followsNumbered, noteReply } from "../runs.ts";
import { replayByCause } from "./related-calls.ts";
import { findOwners } from "./owned-takes.ts";
import type { NearestSearch } from "../../match/nearest/nearest.ts";
import { readJobState, withoutPollDelay } from "./polls.ts";
import type { TrialTakes } from "../../cassette/trial-takes.ts";
import { withOwnNumbers, withOwnValues, type OwnReply } from "./own-values.ts";
import type { AnswerSource, SourceAnswer } from "./source.ts";
import { chooseReplyFraming, type Exchange } from "../../match/read-request.ts";

export interface ReplayOptions {
  readonly store: CassetteStore;
  readonly clock: Clock;
  /** "recorded" plays a stream back at the pace at which it came. */
  readonly timing: "none" | "recorded";
  /** "same" answers every identical call with the first take, "trials" with those of its trial. Called for each call. */
  readonly repeats: () => Repeats;
  /** Finds the recording whose request is closest to a missed call. */
  readonly findNearest: (exchange: Exchange) => Promise<NearestSearch>;
  /** Whether replies get this run's values in the places of recorded ones. Default true. */
  readonly ownsReplies?: () => boolean;
  /** Whether calls beyond the takes that this run recorded go to the next source, to be recorded as further takes. */
  readonly growsTakes: boolean;
}

/**
 * Replays recordings. The k-th identical call of a run gets take number k, and calls after the last take get the last
 * one again. Take numbers can have gaps: a call whose response was not recorded leaves its number unused.
 */
export function createRecordingsSource(options: ReplayOptions): AnswerSource {
  return {
    name: "recordings",
    answer: (exchange) => replay(exchange, options),
  };
}

/** Replays a recording whose request differs from the call only in values that coincided: see `isCoincidence`. */
export function createCoincidingSource(options: ReplayOptions): AnswerSource {
  return {
    name: "recordings",
    async answer(exchange) {
      // A search that fails is reported with the miss.
      const { nearest } = await options.findNearest(exchange).catch((): NearestSearch => ({}));
      const entry = nearest?.coincides === true ? nearest.entry : undefined;
      const found = entry === undefined ? undefined : await options.store.read(entry, "replay");
      if (entry === undefined || found === undefined) return undefined;
      return await replayOf({ entry, runOut: 0 }, found.reply, exchange, options);
    },
  };
}

/** Maximum attempts if recordings are deleted or renamed while they are being read. */
const ATTEMPTS = 5;

async function replay(exchange: Exchange, given: ReplayOptions): Promise<SourceAnswer> {
  const options = await withTakesOfJobs(exchange, given);
  if (isFurtherTake(exchange, options) || isNew(exchange, options)) return undefined;
  return (await replayByName(exchange, options)) ?? replayAmongTakes(exchange, options);
}

/** The polls of a job get its states one after another, even if identical calls get one reply otherwise. */
async function withTakesOfJobs(exchange: Exchange, options: ReplayOptions): Promise<ReplayOptions> {
  if (!isPoll(exchange.call) || exchange.ordinal === 1 || options.repeats() !== "same") return options;
  const { provider, key } = exchange;
  const first = await options.store
    .read(createRecordingAddress(provider.name, key, 1).entry, "replay")
    .catch(() => {});
  return first !== undefined && readJobState(first.reply)?.isOpen === true
    ? { ...options, repeats: () => "takes" }
    : options;
}

/** Whether a request may ask for the state of a job. Vertex AI polls by POST. Source: @google/genai 3, `operations.ts`, 2026-11. */
export const isPoll = ({ method, path }: Pick<Call, "method" | "path">): boolean =>
  method === "GET" || /:fetchPredictOperation(?:\?|$)/.test(path);

/**
 * Replays the take with the number of the call, whose name is known without a list of takes. Undefined if the
 * list is needed to choose one: there is no take of this number, or cassettes own it.
 */
async function replayByName(exchange: Exchange, options: ReplayOptions): Promise<SourceAnswer> {
  const { provider, key, ordinal, call, trial } = exchange;
  if (trial !== undefined || (call.cassette ?? call.run.cassette) !== undefined) return undefined;
  const take = options.repeats() === "same" ? 1 : ordinal;
  const { entry } = createRecordingAddress(provider.name, key, take);
  try {
    const found = await options.store.read(entry, "replay");
    if (found === undefined || found.cassettes !== undefined) return undefined;
    return await replayOf({ entry, runOut: 0 }, found.reply, exchange, options);
  } catch (error) {
    if (isTapedeckError(error)) return undefined;
    throw error;
  }
}

async function replayAmongTakes(exchange: Exchange, options: ReplayOptions): Promise<SourceAnswer> {
  await exchange.trial?.refresh();
  const { store } = options;
  const { provider, key } = exchange;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const takes = store.takes(provider.name, key);
    const plain = chosenOf(takes, exchange, options);
    if (plain === undefined) break;
    const chosen = await ofItsOwner(plain, takes, exchange, options);
    const found = await store.read(chosen.entry, "replay");
    if (found === undefined) continue;
    const isBeyond = exchange.ordinal > (exchange.trial?.takes.length ?? getLastTake(takes));
    const state = isBeyond && isPoll(exchange.call) ? readJobState(found.reply) : undefined;
    // The end of the job is not recorded, and polls for its last state would not end.
    if (state?.isOpen === true) return undefined;
    return await replayOf(
      state === undefined ? chosen : { ...chosen, runOut: 0 },
      found.reply,
      exchange,
      options,
    );
  }
  return undefined;
}

/** Whether this run recorded the takes of a call, and this call follows them. */
function isFurtherTake(exchange: Exchange, { growsTakes, repeats }: ReplayOptions): boolean {
  const { key, call } = exchange;
  return growsTakes && call.run.firstRecorded.has(key) && followsNumbered(exchange) && repeats() === "takes";
}

/** Whether a call that may be recorded has no take. A list shows this faster than a read that fails. */
function isNew({ provider, key, trial }: Exchange, { growsTakes, store }: ReplayOptions): boolean {
  return growsTakes && trial === undefined && store.takes(provider.name, key).length === 0;
}

function chosenOf(
  takes: readonly RecordingAddress[],
  exchange: Exchange,
  options: ReplayOptions,
): Chosen | undefined {
  if (takes.length === 0) return undefined;
  if (exchange.trial !== undefined) return chosenOfTrial(exchange.trial, exchange, options);
  const { ordinal, key, call } = exchange;
  const entryAt = (index: number): string => takes[index]?.entry ?? "";
  if (options.repeats() === "same") return { entry: entryAt(0), index: 0, runOut: 0 };
  const last = getLastTake(takes);
  if (options.growsTakes && ordinal > last && call.run.firstRecorded.has(key)) return undefined;
  const index = findTakeIndex(takes, Math.min(ordinal, last));
  if (index === undefined) return undefined;
  return { entry: entryAt(index), index, runOut: ordinal > last && last > 1 ? last : 0 };
}

function chosenOfTrial(
  { name, takes }: TrialTakes,
  exchange: Exchange,
  { growsTakes }: ReplayOptions,
): Chosen | undefined {
  const { length } = takes;
  const { ordinal, call } = exchange;
  const isBeyond = ordinal > length || followsNumbered(exchange);
  if (growsTakes && isBeyond && call.run.firstRecorded.has(name)) return undefined;
  const index = Math.min(ordinal, length) - 1;
  const entry = takes[index]?.entry;
  return entry === undefined
    ? undefined
    : { entry, index, runOut: ordinal > length && length > 1 ? length : 0 };
}

/** Returns the take for the test of a call if the takes were imported from several cassettes. */
async function ofItsOwner(
  plain: Chosen,
  takes: readonly RecordingAddress[],
  { call, ordinal, trial }: Exchange,
  { store, repeats }: ReplayOptions,
): Promise<Chosen> {
  if (takes.length < 2 || trial !== undefined) return plain;
  const owned = await findOwners(takes, store, () => takes.map(({ entry }) => entry));
  const own = owned?.choose(
    { test: call.test, cassette: call.cassette ?? call.run.cassette },
    repeats() === "same" ? 1 : ordinal,
    plain.index,
  );
  return own === undefined ? plain : { ...own, entry: takes[own.index]?.entry ?? "" };
}

interface Chosen {
  readonly entry: string;
  /** Index in the list of takes. */
  readonly index: number;
  /** The number of the last of several takes if the call was made more often, otherwise 0. */
  readonly runOut: number;
  /** Why another take may have been meant. */
  readonly reason?: string;
}

async function replayOf(
  { entry, runOut, reason: why }: Omit<Chosen, "index">,
  kept: RecordedReply,
  exchange: Exchange,
  options: ReplayOptions,
): Promise<Answer> {
  const { timing, clock } = options;
  const { reply: own, restored } = await ownReplyOf(entry, kept, exchange, options);
  noteReply(exchange, { entry, reply: own, isFresh: false });
  const isHttp = exchange.protocol.operation === httpProtocol.operation;
  const numbered = isHttp ? withOwnNumbers(own, exchange) : own;
  const recorded = timing === "recorded" ? numbered : atOnce(numbered, exchange);
  const { waitsMs } = recorded;
  const isPaced = timing === "recorded" && waitsMs !== undefined;
  const reply = createWireReply(
    recorded,
    exchange,
    recorded.after !== undefined
      ? replayByCause(recorded, exchange)
      : isPaced
        ? pace(recorded, waitsMs, clock, exchange)
        : recorded.body,
  );
  const settled = { outcome: "replayed", entry, ...(restored.length > 0 && { restored }) } as const;
  if (runOut === 0)
    return createSettledAnswer(reply, { ...settled, ...(why !== undefined && { reason: why }) });
  const reason =
    why ??
    localize(
      "The call {0} was made more often than it has takes ({1}), so the last take was replayed again.",
      entry,
      runOut,
    );
  return createSettledAnswer(reply, { ...settled, reason });
}

/** Only calls with generated values pay for reading the recorded request. */
async function ownReplyOf(
  entry: string,
  reply: RecordedReply,
  exchange: Exchange,
  { store, ownsReplies }: ReplayOptions,
): Promise<OwnReply> {
  if (exchange.values === undefined || ownsReplies?.() === false) return { reply, restored: [] };
  const { request } = await store.read(entry);
  return withOwnValues(reply, request.values ?? [], exchange);
}

/** Returns a recorded reply whose headers ask for no wait. */
function atOnce(recorded: RecordedReply, exchange: Exchange): RecordedReply {
  const headers = recorded.headers && withoutWaits(recorded.headers);
  if (isPoll(exchange.call) && readJobState(recorded)?.isOpen === true)
    return { ...recorded, headers: withoutPollDelay(headers) };
  return headers === undefined ? recorded : { ...recorded, headers };
}

/** Returns an answer whose outcome is known when it is sent, such as a replay. */
export function createSettledAnswer(reply: WireReply, settled: Settled): Answer {
  const { outcome, entry } = settled;
  return { outcome, reply, ...(entry !== undefined && { entry }), settled: Promise.resolve(settled) };
}

/** Returns a recorded reply in the form that is sent to the client. */
export function createWireReply(
  { status, statusText, contentType, headers: kept, body }: RecordedReply,
  { call, provider }: Pick<Exchange, "call" | "provider">,
  sent: WireReply["body"] = body,
): WireReply {
  const headers: WireHeaders = contentType === undefined ? [] : [["content-type", contentType]];
  const head = { status, ...(statusText !== undefined && { statusText }) };
  if (kept === undefined) return { ...head, headers, body: sent };
  const { upstream } = provider;
  const own = rewriteHeaderAddresses(call.base ?? upstream, kept, upstream);
  return { ...head, headers: [...headers, ...own], body: sent };
}

async function* pace(
  { body, contentType }: RecordedReply,
  waitsMs: readonly number[],
  clock: Clock,
  exchange: Exchange,
): AsyncGenerator<Uint8Array> {
  const { signal } = exchange.call;
  for (const [index, frame] of cutBody(body, chooseReplyFraming(exchange, contentType)).entries()) {
    const wait = waitsMs[index] ?? 0;
    if (wait > 0) await clock.wait(wait, signal);
    if (signal.aborted) return;
    yield frame;
  }
}
