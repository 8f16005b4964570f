import { localize } from "../../base/localize.ts";
import { createTapedeckError, wasNotSent } from "../../base/errors.ts";
import { pickDefined } from "../../base/pick-defined.ts";
import { findContentType } from "../../base/wire/text.ts";
import type { Call, CallEvent, Run, WireHeaders } from "../../call/call.ts";
import type { ReplyLink } from "../../call/given-replies.ts";
import type { Recording } from "../../cassette/recording.ts";
import { readEntry } from "../../cassette/address.ts";
import { chooseReplyFraming, readProtocolRequest, type Exchange } from "../../match/read-request.ts";
import type { Provider } from "../../protocol/base/protocol.ts";
import { httpProtocol } from "../../protocol/base/http.ts";
import { beginPaying, type BudgetRules } from "../budget/budget.ts";
import { replaceIds } from "./chain-links.ts";
import type { KeepingParts } from "./save.ts";
import { judge } from "./judge.ts";
import { readJobState } from "./polls.ts";
import { isPoll } from "./recordings.ts";
import type { Connect, IncomingReply } from "./source.ts";
import { createTape } from "./tape.ts";

/** A call that the engine did not answer itself; it adds the rest of the event. */
export type NotedCall = Omit<CallEvent, "id" | "at" | "ms" | "run" | "mode">;

export interface ChainParts extends Omit<BudgetRules, "warn">, KeepingParts {
  /** Loads the connection code on first use, when a mode needs it. */
  readonly connect: () => Promise<Connect>;
  /** Whether ids of replayed replies are sent before their chain is recorded again. Default: no. */
  readonly keepsChain?: () => boolean;
  /** Reports a call that was made for another one. */
  readonly note?: (run: Run, call: NotedCall) => void;
}

/** How calls are sent. */
export interface Forwarder {
  /** Sends a call to its provider. @throws TapedeckError `tapedeck_upstream` if it cannot be reached. */
  readonly forward: (
    call: Call,
    provider: Provider,
    connect: Connect,
    signal: AbortSignal,
  ) => Promise<IncomingReply>;
}

/** A recorded call, and the ids of earlier replies in its request. */
export interface RecordedCall {
  readonly entry: string;
  readonly recording: Recording;
  readonly links: readonly ReplyLink[];
}

/** A call of a chain that is made again. */
export interface RenewedCall {
  readonly entry: string;
  readonly exchange: Exchange;
  readonly recording: Recording;
  /** For reports. */
  readonly event: NotedCall;
}

/** How long a job is waited for before the chain is given up. */
const MOST_WAITS = 300;
const WAIT_MS = 2_000;

/**
 * Makes a recorded call again for a later call of its chain, with that call's credentials. `idFor` returns the present id for
 * one of its request. A call that polled for the end of a job is repeated until the job ends.
 * @throws TapedeckError if it has no complete reply
 */
export async function renewCall(
  parts: ChainParts & Forwarder,
  current: Exchange,
  recorded: RecordedCall,
  idFor: (link: ReplyLink) => string,
): Promise<RenewedCall> {
  const { entry, recording } = recorded;
  const exchange = createExchange(current, recorded, idFor);
  const waits = isPoll(recording.request) && readJobState(recording.reply)?.isOpen === false;
  for (let attempt = 0; ; attempt += 1) {
    const { judged, incoming, charge } = await sendOnce(parts, exchange);
    const reason = "fault" in judged ? judged.fault : "refusal" in judged ? judged.refusal : undefined;
    if (!("recording" in judged)) throw createNotRenewed(exchange.facts.label, entry, reason ?? "");
    const { recording: renewed } = judged;
    if (waits && attempt < MOST_WAITS && readJobState(renewed.reply)?.isOpen === true) {
      const waitMs = readWait(incoming.headers);
      if (waitMs > 0) await parts.clock.wait(waitMs, exchange.call.signal);
      if (!exchange.call.signal.aborted) continue;
    }
    const { provider, protocol, key, call, facts } = exchange;
    return {
      entry,
      exchange,
      recording: { ...renewed, ...pickDefined({ cassettes: recording.cassettes }) },
      event: {
        provider: provider.name,
        operation: protocol.operation,
        label: facts.label,
        outcome: "recorded",
        key,
        entry,
        upstreamStatus: incoming.status,
        charge: charge(),
        spent: call.run.spent.total,
        ...pickDefined({ model: facts.model, test: call.test }),
      },
    };
  }
}

async function sendOnce(parts: ChainParts & Forwarder, exchange: Exchange) {
  const paying = await beginPaying(parts, exchange);
  try {
    const { signal } = exchange.call;
    const incoming = await parts.forward(exchange.sent, exchange.provider, await parts.connect(), signal);
    const type = findContentType(incoming.headers).contentType;
    const framing = chooseReplyFraming(exchange, type);
    const tape = createTape({ framing, stream: exchange.protocol.stream }, parts.clock);
    const cutOff = await drain(incoming, tape);
    const charge = paying.charge({
      status: incoming.status,
      body: tape.body(),
      sizeBytes: tape.sizeBytes,
      ...pickDefined({ contentType: type }),
    });
    const ended = { parts, exchange, incoming, tape, type, framing, cutOff, followsTake: () => false };
    return { judged: await judge(ended), incoming, charge };
  } catch (error) {
    if (wasNotSent(error)) paying.refund();
    throw error;
  } finally {
    paying.end();
  }
}

/** Returns whether the connection broke off, or the body cannot be decoded. */
async function drain(
  { body, undecoded }: IncomingReply,
  tape: ReturnType<typeof createTape>,
): Promise<boolean> {
  try {
    for await (const bytes of body) tape.push(bytes);
    tape.end();
    return undecoded !== undefined;
  } catch {
    return true;
  }
}

function createExchange(
  current: Exchange,
  { entry, recording, links }: RecordedCall,
  idFor: (link: ReplyLink) => string,
): Exchange {
  const { request, key, operation } = recording;
  const { path, body } = replaceIds(request, links, idFor);
  const { provider, run, signal, token, origin, base } = current.sent;
  const call: Call = {
    provider,
    method: request.method,
    path,
    headers: selectHeaders(current.sent.headers, request),
    body,
    signal,
    run,
    ...pickDefined({ token, origin, base, test: recording.test }),
  };
  const protocol =
    current.provider.dialect.operations.find((one) => one.operation === operation) ?? httpProtocol;
  const values = request.values?.map((value) =>
    links.some(({ text }) => text === value.text) ? { ...value, text: idFor(value) } : value,
  );
  const address = readEntry(entry);
  return {
    call,
    sent: call,
    provider: current.provider,
    protocol,
    key,
    facts: protocol.facts(readProtocolRequest({ call, protocol })),
    ordinal: "wrong" in address ? 1 : address.take,
    ...pickDefined({ headers: request.headers, values }),
  };
}

/** Headers of one request, which another request does not share. */
const OF_REQUEST =
  /^(?:content-(?:type|length|encoding|md5)|idempotency-key|x-stainless-(?:retry-count|timeout)|x-tapedeck-.+)$/;

/** Returns the client's headers with the headers that only the recorded request had. Hashes stand for credentials. */
function selectHeaders(
  current: WireHeaders,
  { headers = [], contentType, body }: Recording["request"],
): WireHeaders {
  const own = headers.filter(([, value]) => !value.startsWith("sha256:"));
  const names = new Set(own.map(([name]) => name));
  const shared = current.filter(([name]) => !OF_REQUEST.test(name) && !names.has(name));
  const type = body.byteLength === 0 ? undefined : (contentType ?? "application/json");
  const typed: WireHeaders = type === undefined || names.has("content-type") ? [] : [["content-type", type]];
  return [...shared, ...own, ...typed];
}

function readWait(headers: WireHeaders): number {
  for (const [name, value] of headers) {
    if (/^(?:retry-after-ms|openai-poll-after-ms)$/.test(name) && /^\d{1,7}$/.test(value))
      return Number(value);
    if (name === "retry-after" && /^\d{1,4}$/.test(value)) return Number(value) * 1_000;
  }
  return WAIT_MS;
}

function createNotRenewed(label: string, entry: string, reason: string) {
  return createTapedeckError(
    "tapedeck_refused",
    localize(
      'This call continues "{0}" ({1}), which could not be recorded again: {2}.',
      label,
      entry,
      reason,
    ),
    {
      status: 424,
      hint: localize(
        "Nothing was replaced, and this call was not sent. Correct that call, and record again.",
      ),
    },
  );
}
