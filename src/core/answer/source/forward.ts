import { localize } from "../../base/localize.ts";
import { beginPaying, type CallBudget } from "../budget/budget.ts";
import type { Answer, Call, Settled, WireHeaders } from "../../call/call.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import type { Clock } from "../../base/clock.ts";
import {
  createClientLeft,
  createNoUpstream,
  createPlaceholderKey,
  createSignedForUs,
  createUpstreamUnreachable,
  wasNotSent,
} from "../../base/errors.ts";
import { rewriteHeaderAddresses } from "../../protocol/kept-headers.ts";
import type { Provider } from "../../protocol/base/protocol.ts";
import { PLACEHOLDER_KEY } from "../../protocol/providers.ts";
import { giveBackNumber } from "../runs.ts";
import { findContentType, isMedia } from "../../base/wire/text.ts";
import { findCredentialOfOther } from "../../secrets/guard.ts";
import {
  assignTakeNumber,
  createSingleFlight,
  findStandingRecording,
  findTake,
  type KeepMode,
} from "./save.ts";
import { countRelatedCalls, type RelatedCalls } from "./related-calls.ts";
import { createSettledAnswer, createWireReply } from "./recordings.ts";
import type { AnswerSource, Connect, ConnectSocket, IncomingReply, OutgoingRequest } from "./source.ts";
import { chooseReplyFraming, type Exchange } from "../../match/read-request.ts";
import { sendInChain } from "./chain.ts";
import { explainUnknownId } from "./chain-links.ts";
import type { ChainParts } from "./renew-call.ts";
import type { StreamsUnderWay } from "./streams-under-way.ts";
import { createTape, type StreamTape } from "./tape.ts";
import {
  createChannel,
  createLeaving,
  createSignal,
  passOn,
  type Leaving,
  type Relay,
  type OneTimeEvent,
} from "./tee.ts";

export interface UpstreamParts extends ChainParts {
  /** Like `connect`, for WebSockets. Absent if none can be opened. */
  readonly connectSocket?: () => Promise<ConnectSocket>;
  /** Tracks each stream that will be recorded. */
  readonly streams?: StreamsUnderWay;
}

/** How long the headers of a stream wait for its terminal event, so that a short one can report `recorded`. */
const GRACE_MS = 15;
/** A stream that pauses for this long is not a short one. */
const PAUSE_MS = 5;

/** Forwards calls to the provider and records complete answers. */
export function createUpstreamSource(parts: UpstreamParts, keeping: KeepMode): AnswerSource {
  const flight = createSingleFlight();
  return {
    name: "upstream",
    async answer(exchange) {
      if (exchange.provider.upstream === undefined) throw createNoUpstream(exchange.provider.name);
      // A body that the operation does not take is refused before anything is sent.
      void exchange.facts;
      await exchange.trial?.refresh();
      if (keeping !== "add") return exchangeLinked(parts, exchange, keeping);
      const { key, ordinal, call, trial } = exchange;
      // Identical concurrent calls from two tests are sent once; a repeat within one test is a separate take.
      return flight(`${call.run.id}\n${trial?.name ?? key}\n${ordinal}`, async (waited) => {
        const replay = waited ? await replayTake(parts.store, exchange) : undefined;
        return replay ?? exchangeLinked(parts, exchange, keeping);
      });
    },
  };
}

async function replayTake(store: CassetteStore, exchange: Exchange): Promise<Answer | undefined> {
  const take = findTake(store, exchange);
  if (take === undefined) return undefined;
  const found = await store.read(take.entry, "replay");
  return (
    found &&
    createSettledAnswer(createWireReply(found.reply, exchange), { outcome: "replayed", entry: take.entry })
  );
}

/** Sends a call that names ids of replayed replies with ids that the provider knows. Explains ids that it does not know. */
async function exchangeLinked(parts: UpstreamParts, exchange: Exchange, keeping: KeepMode): Promise<Answer> {
  const sendNumbered = (present: Exchange): Promise<Answer> => exchangeNumbered(parts, present, keeping);
  const isLinked = exchange.links !== undefined && keeping !== "pass";
  const answer = isLinked
    ? await sendInChain(parts, exchange, {
        send: sendNumbered,
        forward,
        isSigned: isSigned(exchange.sent.headers),
      })
    : await sendNumbered(exchange);
  const hint = answer.reply.status < 400 ? undefined : explainUnknownId(answer, exchange);
  if (hint === undefined) return answer;
  return { ...answer, settled: answer.settled.then((settled) => ({ ...settled, hint })) };
}

/** Frees the number of a call that got no answer for the next identical call: it is retried, or was never sent. */
async function exchangeNumbered(
  parts: UpstreamParts,
  exchange: Exchange,
  keeping: KeepMode,
): Promise<Answer> {
  const { counts } = exchange.call.run;
  try {
    return await exchangeWith(parts, exchange, keeping);
  } catch (error) {
    giveBackNumber(counts, exchange);
    throw error;
  }
}

async function exchangeWith(parts: UpstreamParts, exchange: Exchange, keeping: KeepMode): Promise<Answer> {
  const place = reservePlace(exchange, parts.store, keeping);
  const paying = await beginPaying(parts, exchange);
  const gone = new AbortController();
  const { signal } = exchange.call;
  let leaving: Leaving | undefined;
  const leave = (): void => (leaving === undefined ? gone.abort() : leaving.leave());
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const received = await receive(parts, exchange, { keeping, paying, gone });
  const { incoming, type, framing, related, isEndless } = received;
  const tape = createTape({ framing, stream: exchange.protocol.stream, related }, parts.clock);
  const channel = createChannel(leave);
  // The headers of a JSON answer wait for its end, as it is small and useless unless complete. Streams wait briefly.
  const live = framing !== undefined || exchange.facts.streaming || isMedia(type);
  const passing: Omit<Relay, "leaving"> = {
    parts,
    exchange,
    keeping,
    ...place,
    ...received,
    paying,
    tape,
    channel,
    stop: gone,
  };
  const first = createSignal(parts.clock);
  /** The answer is too large to record, so nothing waits for its end. */
  const tooLarge = createSignal(parts.clock);
  leaving = createLeaving(passing, { isSeen: live, limits: () => parts.limits?.() ?? {} });
  const settled = passOn({ ...passing, leaving }, { first, tooLarge, isWaitedFor: !live })
    .then((end) => ({ ...end, ...arrivalOf(first), upstreamStatus: incoming.status }))
    .finally(() => {
      paying.end();
      signal.removeEventListener("abort", leave);
    });
  if (live && keeping !== "pass") parts.streams?.add(settled, () => gone.abort());
  const waitForStream = async (): Promise<Settled | undefined> => {
    // A client may send what its first event follows only when it has the headers of a stream without an end.
    if (!isEndless) await first.happened;
    await endOrPause(tape, parts.clock);
    return tape.over ? settled : undefined;
  };
  const patience = live ? waitForStream() : tooLarge.happened.then(() => undefined);
  const known = await Promise.race([settled, patience]);
  const { outcome, entry }: Settled = known ?? { outcome: "forwarded" };
  const headers = rewriteHeaderAddresses(exchange.call.base, incoming.headers, exchange.provider.upstream);
  // Send a complete answer in one piece, as a replay does.
  const body = (known === undefined ? undefined : channel.whole()) ?? channel.bytes;
  const reply = { status: incoming.status, statusText: incoming.statusText, headers, body };
  return { outcome, reply, ...(entry !== undefined && { entry }), settled };
}

function arrivalOf({ ticks }: OneTimeEvent): Pick<Settled, "firstByteTicks"> {
  return ticks === undefined ? {} : { firstByteTicks: ticks };
}

interface SendContext {
  readonly paying: CallBudget;
  readonly gone: AbortController;
}

/** Sends the call, and returns the head of its reply. An event stream gets the count of the requests that it reports on. */
async function receive(
  parts: UpstreamParts,
  exchange: Exchange,
  { keeping, ...sending }: SendContext & { readonly keeping: KeepMode },
): Promise<Pick<Relay, "incoming" | "type" | "framing" | "related" | "isEndless">> {
  const { call, protocol } = exchange;
  const mayReport = keeping !== "pass" && (call.method === "GET" || protocol.staysOpen === true);
  // Requests count that arrive while the stream is being opened, as they do in a replay.
  const counted = mayReport ? countRelatedCalls(call) : undefined;
  let related: RelatedCalls | undefined;
  try {
    const incoming = await send(parts, exchange, sending);
    const type = findContentType(incoming.headers).contentType;
    const framing = chooseReplyFraming(exchange, type);
    if (framing === "events") related = counted;
    const isEndless = related !== undefined && protocol.stream === undefined;
    return { incoming, type, framing, related, isEndless };
  } finally {
    if (related === undefined) counted?.dispose();
  }
}

/** Forwards the call. A failure before sending costs nothing. @throws TapedeckError if no answer arrives. */
async function send(
  parts: UpstreamParts,
  { call, sent, provider }: Exchange,
  { paying, gone }: SendContext,
): Promise<IncomingReply> {
  try {
    return await forward(sent, provider, await parts.connect(), gone.signal);
  } catch (error) {
    if (wasNotSent(error)) paying.refund();
    paying.end();
    throw call.signal.aborted ? createClientLeft() : error;
  }
}

/** Reserves the place of the recording before the call is sent. */
function reservePlace(
  exchange: Exchange,
  store: CassetteStore,
  keeping: KeepMode,
): Pick<Relay, "standing" | "number" | "counts"> {
  const { counts } = exchange.call.run;
  const standing = keeping === "replace" ? findStandingRecording(store, exchange) : undefined;
  const isNew = keeping !== "pass" && standing === undefined;
  return { standing, number: isNew ? assignTakeNumber(store, exchange) : undefined, counts };
}

/** Resolves when a started stream ends, pauses, or exceeds the maximum wait. */
async function endOrPause(tape: StreamTape, clock: Clock): Promise<void> {
  for (let waitedMs = 0; waitedMs < GRACE_MS; waitedMs += PAUSE_MS) {
    const { sizeBytes } = tape;
    await clock.wait(PAUSE_MS);
    if (tape.sizeBytes === sizeBytes) return;
  }
}

/** Headers that belong to one connection (RFC 9110 7.6.1) or that we set ourselves. */
const OWN_REQUEST = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade host content-length accept-encoding expect".split(
    " ",
  ),
);
const OWN_REPLY = new Set(
  "connection keep-alive proxy-authenticate trailer transfer-encoding upgrade content-length content-encoding set-cookie date alt-svc strict-transport-security".split(
    " ",
  ),
);

/** Sends a call to its provider. @throws TapedeckError `tapedeck_upstream` if it cannot be reached. */
export async function forward(
  call: Call,
  provider: Provider,
  connect: Connect,
  signal: AbortSignal,
): Promise<IncomingReply> {
  const { address, ...outgoing } = prepareOutgoingRequest(call, provider);
  try {
    const reply = await (call.sendOver?.(signal) ??
      connect({ ...outgoing, method: call.method, body: call.body, signal }));
    return { ...reply, headers: selectReplyHeaders(reply, { method: call.method }) };
  } catch (cause) {
    throw createUpstreamUnreachable(provider.name, address, cause);
  }
}

/** Returns where and how a call is sent. @throws TapedeckError if it may not be sent there */
export function prepareOutgoingRequest(
  call: Call,
  provider: Provider,
): Pick<OutgoingRequest, "url" | "headers" | "mayBePrivate"> & { readonly address: string } {
  const address = provider.upstream;
  if (address === undefined) throw new Error(`${provider.name} has no upstream`);
  const places = [call.path, ...call.headers.map(([, value]) => value)];
  if (places.some((place) => place.includes(PLACEHOLDER_KEY))) {
    throw createPlaceholderKey(
      provider.name,
      provider.keyVariables[0] ?? localize("the provider's key variable"),
    );
  }
  // A client that chose the address signed for it; whether a gateway of the user's asks for one is its own matter.
  if (call.origin === undefined && isSigned(call.headers) && !isOwnGateway(provider))
    throw createSignedForUs(provider.name, provider.keyVariables[0]);
  const foreign = findCredentialOfOther(call, address);
  if (foreign !== undefined) throw foreign;
  return {
    address,
    url: address + pathAt(provider, call.path),
    headers: selectRequestHeaders(call),
    mayBePrivate: provider.isUsersOwn === true,
  };
}

/** Returns the client's headers that are forwarded. */
export function selectRequestHeaders({ headers }: Pick<Call, "headers">): WireHeaders {
  return headers.filter(([name]) => !OWN_REQUEST.has(name) && !name.startsWith("x-tapedeck-"));
}

/**
 * Returns the reply's headers that are sent to the client. A reply to HEAD keeps its content length, which is that of
 * the reply to GET and is not known from the body.
 */
export function selectReplyHeaders(
  { headers, undecoded }: Pick<IncomingReply, "headers" | "undecoded">,
  { method, cookies = false }: { readonly method: string; readonly cookies?: boolean },
): WireHeaders {
  const isKept = (name: string): boolean =>
    !OWN_REPLY.has(name) ||
    (method === "HEAD" && name === "content-length") ||
    (undecoded !== undefined && name === "content-encoding") ||
    (cookies && name === "set-cookie");
  return headers.filter(([name]) => isKept(name));
}

/** Returns the path to append to the upstream. A custom address may have another base path than Tapedeck's own. */
function pathAt({ name, upstream, insteadOf, isUsersOwn }: Provider, path: string): string {
  // @ai-sdk/anthropic leaves the version to the base address, which other clients of Anthropic add themselves.
  if (name === "anthropic" && /^\/messages(?:\?|$)/.test(path) && upstream !== undefined)
    return upstream.endsWith("/v1") ? path : `/v1${path}`;
  const shared = isUsersOwn === true ? sharedPath(upstream, path) : "";
  if (shared !== "") return path.slice(shared.length);
  const isPrefix = insteadOf !== undefined && path.startsWith(`${insteadOf}/`);
  return isPrefix ? path.slice(insteadOf.length) : path;
}

/** Returns the end of an address that the path starts with: an address that ends in /v1 is a base URL. */
function sharedPath(upstream: string | undefined, path: string): string {
  const [version = ""] = /\/v\d+\w*$/.exec(upstream ?? "") ?? [];
  return version !== "" && path.startsWith(`${version}/`) ? version : "";
}

/**
 * Whether a call has a signature over its address, as AWS makes them (Signature Version 4): the client signed ours,
 * the provider would check its own. Source: docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
function isSigned(headers: WireHeaders): boolean {
  return headers.some(([name, value]) => name === "authorization" && value.startsWith("AWS4-"));
}

function isOwnGateway({ isUsersOwn, upstream = "" }: Provider): boolean {
  return isUsersOwn === true && !/\.amazonaws\.com(?:\.cn)?$/.test(new URL(upstream).hostname);
}
