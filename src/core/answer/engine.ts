import { localize } from "../base/localize.ts";
import { ONE_CALL } from "../call/spending.ts";
import { getLastTake } from "../cassette/address.ts";
import {
  createUnexpectedFailure,
  explain,
  isTapedeckError,
  wasNotSent,
  type TapedeckError,
} from "../base/errors.ts";
import {
  canLeaveMachine,
  type Answer,
  type Call,
  type CallEvent,
  type Disposable,
  type Miss,
  type Mode,
  type Outcome,
  type Run,
  type Settled,
  type WireReply,
} from "../call/call.ts";
import { createListeners } from "../call/listeners.ts";
import type { NearestSearch } from "../match/nearest/nearest.ts";
import { composeMiss, type OpenTake } from "../view/miss.ts";
import { pickDefined } from "../base/pick-defined.ts";
import type { Provider } from "../protocol/base/protocol.ts";
import { getDialect } from "../protocol/dialects.ts";
import { createProviderAt } from "../protocol/origin.ts";
import {
  createRequestReader,
  correctProvider,
  readProtocolRequest,
  type ReadRequest,
  type RequestReaderParts,
  type Exchange,
} from "../match/read-request.ts";
import { countCall, reportOutcome } from "./runs.ts";
import { createSources, type SourceParts, type Sources, type SourcesByMode } from "./source/modes.ts";
import type { AnswerSession } from "./session/session-parts.ts";
import { createSettledAnswer } from "./source/recordings.ts";
import type { NotedCall } from "./source/renew-call.ts";
import type { AnswerSource, SourceAnswer } from "./source/source.ts";
import { createTrialTakes } from "../cassette/trial-takes.ts";
import { mayTitleHoldSecret } from "../secrets/scanner.ts";

/** Answers calls, from whatever source, and reports them. */
export interface Engine {
  /** Answers a call. A `TapedeckError` becomes a reply in the provider's own format; only bugs throw. */
  answer(call: Call): Promise<Answer>;
  /** Reports every call after its last byte, in the order in which they end. */
  onCall(listener: (event: CallEvent) => void): Disposable;
  /** Reports a call that a test's own cache answered to the same listeners. */
  note(run: Run, call: NotedCall): void;
  /** Returns a failure in the provider's format, or a plain one if it is unknown. SDKs do not retry it. */
  refuse(provider: string | undefined, error: TapedeckError): WireReply;
}

export interface EngineParts extends SourceParts, RequestReaderParts {
  /** Updates the project's settings before a call; undefined if there is nothing to wait for. */
  readonly prepare?: (mode: Mode) => Promise<unknown> | undefined;
  /** Answers a call that asks for a WebSocket. Absent if none can be answered. */
  readonly answerSession?: AnswerSession;
}

export function createEngine(parts: EngineParts): Engine {
  const { providers, clock } = parts;
  const read = createRequestReader(parts);
  // Created with the first call, because a run without calls needs none.
  let sources: Sources | undefined;
  let isHeard = false;
  const listeners = createListeners<CallEvent>(() => {
    isHeard = true;
    return { dispose: () => void (isHeard = false) };
  });
  let calls = 0;

  const refuse: Engine["refuse"] = (provider = "", error) => refusal(providers.get(provider), error);

  const report = (active: CallInProgress, settled: Settled, miss?: () => Miss): void => {
    if (!isHeard) return;
    listeners.notify({ ...eventOf(active, settled, clock.ticks()), ...(miss && { miss: miss() }) });
  };

  const refuseCall = (active: CallInProgress, failure: Failure): Answer => {
    reportOutcome(active.call, Promise.resolve(failure.settled));
    report(active, failure.settled, failure.miss);
    return createSettledAnswer(refuse(active.call.provider, failure.error), failure.settled);
  };

  const answer: Engine["answer"] = async (incoming) => {
    const sent = correctProvider(incoming, providers);
    const active: CallInProgress = { call: sent, id: ++calls, at: clock.now(), ticks: clock.ticks() };
    try {
      await parts.prepare?.(sent.run.mode);
      const call = (active.call = await withoutSecrets(sent, parts.secrets));
      active.read = read(call);
      const rules = parts.normalizer?.();
      const exchange = (active.exchange = exchangeOf(sent, call, active.read, parts));
      const mode = modeOf(exchange);
      sources ??= createSources(parts);
      const found = await (sent.socket === undefined
        ? findFirstAnswer(sources[parts.goesWrong?.(call.run) === true ? "faulty" : "plain"][mode], exchange)
        : parts.answerSession?.(exchange, sent.socket, { ...parts, answer, mode, composeMiss }));
      // The rules changed during the search, so that the call has another key.
      if (found === undefined && parts.normalizer?.() !== rules) return await answer(sent);
      if (found === undefined) return refuseCall(active, await missOf(active, exchange, parts));
      reportOutcome(call, found.settled);
      // Replays settle synchronously, so listeners added later are not notified.
      if (isHeard || found.outcome !== "replayed")
        void found.settled.then((end) => afterHiding(active, end, parts, () => report(active, end)));
      return found;
    } catch (thrown) {
      if (!isUnderstood(active.read)) active.read = active.exchange = undefined;
      const failure = failureOf(thrown);
      return await afterHiding(active, failure.settled, parts, () => refuseCall(active, failure));
    }
  };

  const note: Engine["note"] = ({ id: run, mode }, call) =>
    listeners.notify({ ...call, id: ++calls, at: clock.now(), ms: 0, run, mode });
  return { refuse, answer, note, onCall: (listener) => listeners.add(listener) };
}

/** Returns an exchange as it is shown: its request has no secrets, except under the policy `allow`. */
async function hideSecrets(exchange: Exchange, { secrets }: EngineParts): Promise<Exchange> {
  const { protocol } = exchange;
  const call = (await secrets?.hide(exchange.call)) ?? exchange.call;
  if (call === exchange.call) return exchange;
  return { ...exchange, call, facts: protocol.facts(readProtocolRequest({ call, protocol })) };
}

/** Runs `next`, which shows a call, after removing secrets from a call that is not recorded and may be shown with one. */
function afterHiding<T>(active: CallInProgress, { outcome }: Settled, parts: EngineParts, next: () => T) {
  const { call, exchange } = active;
  const mayShow = (): boolean => mayTitleHoldSecret({ name: [exchange?.facts.label ?? call.path] });
  if (outcome === "recorded" || outcome === "replayed" || !mayShow()) return next();
  return (async () => {
    if (exchange === undefined) active.call = (await parts.secrets?.hide(call)) ?? call;
    else active.shown = await hideSecrets(exchange, parts);
    return next();
  })();
}

async function withoutSecrets(call: Call, secrets: EngineParts["secrets"]): Promise<Call> {
  const hasTitles = call.test !== undefined && mayTitleHoldSecret(call.test);
  const titled = hasTitles && secrets !== undefined ? await secrets.redactTitles(call) : call;
  return secrets?.redact?.(titled) ?? titled;
}

/** Returns the answer of the first source that has one. */
export async function findFirstAnswer(
  sources: readonly AnswerSource[],
  exchange: Exchange,
): Promise<SourceAnswer> {
  for (const source of sources) {
    const found = await source.answer(exchange);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** False for a body that the operation does not take. */
function isUnderstood(read: ReadRequest | undefined): boolean {
  try {
    return read?.facts !== undefined;
  } catch {
    return false;
  }
}

function refusal(provider: Provider | undefined, error: TapedeckError): WireReply {
  const reply = (provider?.dialect ?? getDialect("http")).refuse(error);
  // A connection that broke off may be retried, as without Tapedeck.
  return wasNotSent(error) ? { ...reply, headers: [...reply.headers, ["x-should-retry", "false"]] } : reply;
}

function exchangeOf(
  sent: Call,
  call: Call,
  read: ReadRequest,
  { store, repeats }: Pick<EngineParts, "store" | "repeats">,
): Exchange {
  const { protocol, key } = read;
  const provider = call.origin === undefined ? read.provider : createProviderAt(call.origin, read.provider);
  const { test } = call;
  const trial =
    test !== undefined && repeats() === "trials"
      ? { trial: createTrialTakes(store, { provider: provider.name, key, test }) }
      : undefined;
  return {
    call,
    sent,
    provider,
    protocol,
    key,
    get facts() {
      return read.facts;
    },
    get headers() {
      return read.headers;
    },
    ...(read.values !== undefined && { values: read.values }),
    ...(read.links !== undefined && { links: read.links }),
    ...countCall(call, key),
    ...trial,
  };
}

/** A call that is being answered. */
interface CallInProgress {
  /** Without the secrets that the project redacts, once they are removed. */
  call: Call;
  readonly id: number;
  readonly at: number;
  readonly ticks: number;
  /** Absent until the request was understood. */
  read?: ReadRequest | undefined;
  /** Absent until the call is identified. */
  exchange?: Exchange | undefined;
  /** The exchange without secrets, if it may have some. */
  shown?: Exchange;
}

/** Returns the mode of a call: that of its run, unless it is overridden for this call. */
function modeOf({ call, key, provider }: Exchange): keyof SourcesByMode {
  const { mode, overrides } = call.run;
  if (isPassedOn(call)) return "live";
  if (TELEMETRY[provider.name] === call.path && call.method === "POST")
    return canLeaveMachine(mode) ? "live" : "telemetry";
  if (overrides.size === 0) return mode;
  const override = overrides.get(key);
  overrides.delete(key);
  return override ?? mode;
}

/**
 * Paths of telemetry uploads, by provider: OpenAI's agents send their traces. Clients ignore the response, and every
 * upload has new ids and times, so it is never recorded.
 */
const TELEMETRY: Readonly<Record<string, string>> = { openai: "/v1/traces/ingest" };

const isPassedOn = ({ isKeptElsewhere, run }: Call): boolean =>
  isKeptElsewhere === true && canLeaveMachine(run.mode);

/** Why a call has no answer. */
interface Failure {
  readonly error: TapedeckError;
  readonly settled: Settled;
  /** Creates the description of the miss, which only listeners need. */
  readonly miss?: () => Miss;
}

async function missOf(active: CallInProgress, exchange: Exchange, parts: EngineParts): Promise<Failure> {
  const { key, ordinal, trial } = exchange;
  const takes = parts.store.takes(exchange.provider.name, key);
  // Identical calls are recorded, but not this one: then nothing differs from the nearest.
  const last = trial?.takes.length ?? getLastTake(takes);
  const open = takes.length > 0 ? { number: ordinal, last } : undefined;
  let known: NearestSearch & Partial<OpenTake> = open ?? (await searchNearest(exchange, parts));
  const texts = known.nearest?.differences.flatMap(({ text, asked = "" }) => [text, asked]) ?? [];
  if (mayTitleHoldSecret({ name: [exchange.facts.label, ...texts] })) {
    const shown = (active.shown = await hideSecrets(exchange, parts));
    if (shown !== exchange) known = open ?? (await searchNearest(shown, parts));
  }
  return { ...composeMiss(exchange, known, active.shown), settled: { outcome: "miss" } };
}

function failureOf(thrown: unknown): Failure {
  const error = isTapedeckError(thrown) ? thrown : createUnexpectedFailure(thrown);
  const { message: reason, hint, code, status } = error;
  const charge = wasNotSent(error) ? {} : { charge: () => ONE_CALL };
  return {
    error,
    settled: { outcome: outcomeOf(error), reason, hint, failedWith: { code, status }, ...charge },
  };
}

/** Finds the nearest recording. The call is a miss even if the search fails. */
async function searchNearest(exchange: Exchange, { findNearest, warn }: EngineParts): Promise<NearestSearch> {
  try {
    return await findNearest(exchange);
  } catch (error) {
    warn(localize("The nearest recording could not be found: {0}", explain(error)));
    return {};
  }
}

/** Returns the outcome of a failed call: a miss for a broken recording or an exhausted script, "forwarded" if it reached the upstream. */
function outcomeOf(error: TapedeckError): Outcome {
  if (error.code === "tapedeck_cassette" || error.code === "tapedeck_miss") return "miss";
  return wasNotSent(error) ? "refused" : "forwarded";
}

function eventOf(
  { call, id, at, ticks, read, exchange, shown }: CallInProgress,
  settled: Settled,
  now: number,
): CallEvent {
  const { madeUp } = settled;
  const model = read?.facts.model;
  // Computing the charge adds it to the run's spending.
  const charge = settled.charge?.();
  const spent = call.run.spent.total;
  return {
    id,
    at,
    ms: now - ticks,
    run: call.run.id,
    mode: call.run.mode,
    provider: call.provider,
    operation: read?.protocol.operation ?? "unknown",
    ...pickDefined({ model }),
    label: (shown ?? read)?.facts.label ?? call.path,
    outcome: settled.outcome,
    ...(settled.firstByteTicks !== undefined && { firstByteMs: settled.firstByteTicks - ticks }),
    key: read?.key ?? null,
    entry: settled.entry ?? null,
    ...pickDefined({
      test: call.test,
      reason: settled.reason,
      hint: settled.hint,
      lost: settled.lost,
      restored: settled.restored,
    }),
    ...(settled.failsRun === true && { failsRun: true }),
    ...pickDefined({
      fault: settled.fault,
      upstreamStatus: settled.upstreamStatus,
      failedWith: settled.failedWith,
      charge,
    }),
    ...(isPassedOn(call) && { isKeptElsewhere: true as const }),
    ...(spent.calls > 0 && { spent }),
    ...settled.session,
    ...(madeUp && exchange && { madeUp: { ...madeUp, call: composeMiss(exchange, {}, shown).miss() } }),
  };
}
