import type { Exchange } from "../../match/read-request.ts";
import type { RecordedReply } from "../../cassette/recording.ts";
import type { Answer, Settled, WireHeaders, WireReply } from "../../call/call.ts";
import { addressedTo } from "../../protocol/kept-headers.ts";

/** Somewhere answers come from. A mode is an ordered list of these; the first answer wins. */
export interface AnswerSource {
  readonly name: "recordings" | "upstream" | "script" | "default" | "faults" | "telemetry";
  /** Undefined passes the call on to the next source; a TapedeckError ends the exchange. */
  answer(exchange: Exchange): Promise<SourceAnswer>;
}

export type SourceAnswer = Answer | undefined;

/** Returns the answer of the first source that has one. */
export async function firstAnswer(
  sources: readonly AnswerSource[],
  exchange: Exchange,
): Promise<SourceAnswer> {
  for (const source of sources) {
    const found = await source.answer(exchange);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns an answer whose outcome is already known. */
export function settledAnswer(reply: Answer["reply"], settled: Settled): Answer {
  return new SettledAnswer(reply, settled);
}

/** A class with a getter, so that no promise is created for the many replays whose `settled` is never read. */
class SettledAnswer implements Answer {
  readonly outcome: Settled["outcome"];
  readonly reply: Answer["reply"];
  declare readonly entry?: string;
  readonly #settled: Settled;

  constructor(reply: Answer["reply"], settled: Settled) {
    this.outcome = settled.outcome;
    this.reply = reply;
    if (settled.entry !== undefined) this.entry = settled.entry;
    this.#settled = settled;
  }

  get settled(): Promise<Settled> {
    return Promise.resolve(this.#settled);
  }
}

/** Returns a recorded reply in the form that is sent to the client. */
export function wireReply(
  { status, statusText, contentType, headers: kept, body }: RecordedReply,
  { call, provider }: Pick<Exchange, "call" | "provider">,
  sent: WireReply["body"] = body,
): WireReply {
  const headers: WireHeaders = contentType === undefined ? [] : [["content-type", contentType]];
  const head = { status, ...(statusText !== undefined && { statusText }) };
  if (kept === undefined) return { ...head, headers, body: sent };
  const { upstream } = provider;
  const own = addressedTo(call.base ?? upstream, kept, upstream);
  return { ...head, headers: [...headers, ...own], body: sent };
}

/** Connects to a provider. Passed as an argument and loaded only when a mode needs it. */
export type Connect = (request: OutgoingRequest) => Promise<IncomingReply>;

export interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: WireHeaders;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  /** Whether the user named the address: only then may it be one of a private network. */
  readonly mayBePrivate: boolean;
}

/** A reply from the upstream. The body is content-decoded, and reading it throws if the connection breaks. */
export interface IncomingReply {
  readonly status: number;
  /** The reason phrase, if it differs from the standard one for the status. */
  readonly statusText?: string;
  readonly headers: WireHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Runs one task of a name at a time. Other tasks of that name wait, and learn that they waited. */
export type SingleFlight = <T>(name: string, task: (waited: boolean) => Promise<T>) => Promise<T>;

/**
 * The task's answer counts as landed when it is settled, so that a waiting call finds the recording on disk.
 * Tasks that fail wake the next one.
 */
export function createSingleFlight(): SingleFlight {
  const flights = new Map<string, Promise<unknown>>();
  return async (name, task) => {
    let waited = false;
    for (let under = flights.get(name); under !== undefined; under = flights.get(name)) {
      waited = true;
      await under;
    }
    const flight = task(waited);
    const landed = flight.then(landing, () => {}).finally(() => flights.delete(name));
    flights.set(name, landed);
    return flight;
  };
}

async function landing(result: unknown): Promise<void> {
  if (typeof result !== "object" || result === null || !("settled" in result)) return;
  await result.settled;
}
