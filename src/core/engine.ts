import type { CassetteStore } from "./cassette/store.ts";
import { isTapedeckError, tapedeckError, type TapedeckError } from "./errors.ts";
import type { Answer, Call, CallEvent, Disposable, Miss, Nearest, Outcome, Settled, WireReply } from "./exchange.ts";
import type { Sha256 } from "./match/key.ts";
import { miss } from "./miss.ts";
import { plainDialect } from "./protocol/plain-dialect.ts";
import type { ProviderTable } from "./protocol/registry.ts";
import { createRequestReader, type ReadRequest } from "./read-request.ts";
import { countCall } from "./runs.ts";
import { sourcesByMode, type SourceParts } from "./source/modes.ts";
import { settledAnswer, type Exchange } from "./source/source.ts";

/** Everything that makes or answers a call meets here. */
export interface Engine {
  /** Answers a call. A failure of the catalogue becomes a reply in the provider's own shape; only bugs throw. */
  answer(call: Call): Promise<Answer>;
  /** Tells of every call after its last byte, in the order in which they end. */
  onCall(listener: (event: CallEvent) => void): Disposable;
  /** A failure in the shape of the provider (plain where none is known), never retried by its SDK. */
  refuse(provider: string | undefined, error: TapedeckError): WireReply;
}

export interface EngineParts extends SourceParts {
  readonly store: CassetteStore;
  readonly providers: ProviderTable;
  readonly sha256: Sha256;
  /** Finds the recording that asked for what is closest, or undefined where nothing of the kind is recorded. */
  readonly nearest: (exchange: Exchange) => Promise<Nearest | undefined>;
}

export function createEngine(parts: EngineParts): Engine {
  const { providers, clock } = parts;
  const read = createRequestReader(providers, parts.sha256);
  const sources = sourcesByMode(parts);
  const listeners = new Set<(event: CallEvent) => void>();
  let calls = 0;

  const refuse = (provider: string | undefined, error: TapedeckError): WireReply => {
    const dialect = (provider === undefined ? undefined : providers.get(provider)?.dialect) ?? plainDialect;
    const reply = dialect.refuse(error);
    return { ...reply, headers: [...reply.headers, ["x-should-retry", "false"]] };
  };

  const tell = (call: Call, known: Partial<ReadRequest>, begun: Begun, settled: Settled, missed?: Miss): void => {
    if (listeners.size === 0) return;
    const event = eventOf(call, known, { ...begun, ms: clock.ticks() - begun.ticks }, settled, missed);
    for (const listener of listeners) listener(event);
  };

  const search = async (exchange: Exchange): Promise<Answer | Missed> => {
    const { run } = exchange.call;
    const override = run.overrides.get(exchange.key);
    run.overrides.delete(exchange.key);
    for (const source of sources[override ?? run.mode]) {
      const answer = await source.answer(exchange);
      if (answer !== undefined) return answer;
    }
    return { missed: miss(exchange, await parts.nearest(exchange)) };
  };

  const answer = async (call: Call): Promise<Answer> => {
    const begun = { id: ++calls, at: clock.now(), ticks: clock.ticks() };
    let known: Partial<ReadRequest> = {};
    try {
      const request = read(call);
      known = request;
      const ordinal = countCall(call.run, request.key, call.test);
      const found = await search({ call, ...request, ordinal });
      if ("missed" in found) {
        const { error, miss: missed } = found.missed;
        const settled: Settled = { outcome: "miss" };
        tell(call, known, begun, settled, missed);
        return settledAnswer(refuse(call.provider, error), settled);
      }
      void found.settled.then((settled) => tell(call, known, begun, settled));
      return found;
    } catch (error) {
      const failure = isTapedeckError(error) ? error : unexpected(error);
      const settled: Settled = { outcome: outcomeOf(failure), reason: failure.message };
      tell(call, known, begun, settled);
      return settledAnswer(refuse(call.provider, failure), settled);
    }
  };

  const onCall = (listener: (event: CallEvent) => void): Disposable => {
    listeners.add(listener);
    return { dispose: () => listeners.delete(listener) };
  };
  return { answer, onCall, refuse };
}

interface Missed {
  readonly missed: { readonly error: TapedeckError; readonly miss: Miss };
}

interface Begun {
  readonly id: number;
  readonly at: number;
  readonly ticks: number;
}

/** A broken recording is a call without an answer; an upstream that fails was asked; the rest never got that far. */
function outcomeOf(error: TapedeckError): Outcome {
  if (error.code === "tapedeck_cassette") return "miss";
  return error.code === "tapedeck_upstream" ? "forwarded" : "refused";
}

function unexpected(cause: unknown): TapedeckError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return tapedeckError("tapedeck_refused", `Tapedeck failed on this call: ${detail}.`, {
    status: 500,
    hint: "This is a fault in Tapedeck; please report it with the log. Nothing was recorded.",
    cause,
  });
}

function eventOf(
  call: Call,
  known: Partial<ReadRequest>,
  timing: { readonly id: number; readonly at: number; readonly ms: number },
  settled: Settled,
  missed: Miss | undefined,
): CallEvent {
  const model = known.facts?.model;
  return {
    id: timing.id,
    at: timing.at,
    ms: timing.ms,
    run: call.run.id,
    mode: call.run.mode,
    provider: call.provider,
    operation: known.protocol?.operation ?? "unknown",
    ...(model !== undefined && { model }),
    label: known.facts?.label ?? call.path,
    outcome: settled.outcome,
    key: known.key ?? null,
    entry: settled.entry ?? null,
    ...(call.test !== undefined && { test: call.test }),
    ...(missed !== undefined && { miss: missed }),
    ...(settled.reason !== undefined && { reason: settled.reason }),
  };
}
