import { localize } from "../../base/localize.ts";
import {
  createClientLeft,
  createNoUpstream,
  createUpstreamUnreachable,
  isTapedeckError,
  wasNotSent,
} from "../../base/errors.ts";
import { beginPaying, type CallBudget } from "../budget/budget.ts";
import type { Answer, Settled } from "../../call/call.ts";
import type { Socket, SocketRequest, UpstreamSocket } from "../../call/socket.ts";
import type { Exchange } from "../../match/read-request.ts";
import { catchUp } from "./catch-up.ts";
import { SessionRecorder, type RecordingSession } from "./session-recorder.ts";
import type { KeepMode } from "../source/save.ts";
import type { IncomingReply } from "../source/source.ts";
import type { RecordedSession } from "./find-sessions.ts";
import { createOpenedAnswer, type SessionParts, type DepartedSession } from "./session-parts.ts";

interface RecordingOrder {
  readonly request: Pick<SocketRequest, "protocols">;
  readonly keeping: KeepMode;
  /** The session that the new one replaces. */
  readonly replaced?: RecordedSession | undefined;
}

/** Forwards a session to its provider, and records it when it has ended. */
export async function recordSession(
  exchange: Exchange,
  order: RecordingOrder & { readonly request: SocketRequest },
  parts: SessionParts,
): Promise<Answer> {
  return paySession(exchange, parts, async (paying, recordedAt) => {
    const opened = await openUpstream(exchange, order, parts);
    if ("refusal" in opened) return passRefusal(exchange, opened.refusal, paying);
    const upstream = opened.socket;
    const socket = await acceptClient(exchange, order.request, upstream);
    const { protocol } = upstream;
    const settled = run({ exchange, ...order, parts, paying, recordedAt, protocol, socket, upstream });
    return createOpenedAnswer(order.keeping === "pass" ? "forwarded" : "recorded", settled);
  });
}

/** Opens and pays a session. The payment is refunded if nothing was sent. */
async function paySession<T>(
  exchange: Exchange,
  parts: SessionParts,
  open: (paying: CallBudget, recordedAt: string) => Promise<T>,
): Promise<T> {
  if (exchange.provider.upstream === undefined) throw createNoUpstream(exchange.provider.name);
  const recordedAt = parts.clock.date();
  const paying = await beginPaying(parts, exchange);
  try {
    return await open(paying, recordedAt);
  } catch (error) {
    if (wasNotSent(error)) paying.refund();
    paying.end();
    throw error;
  }
}

function run(session: RecordingSession): Promise<Settled> {
  const recorder = new SessionRecorder(session);
  const settled = recorder.run().finally(() => session.paying.end());
  if (session.keeping !== "pass") session.parts.streams?.add(settled, () => recorder.stop());
  return settled;
}

/**
 * Continues a replayed session with its provider: sends the client's messages so far, and records the session as the
 * client sees it. Replies that the client already has are discarded. @throws TapedeckError if the provider cannot be asked
 */
export async function continueSession(
  exchange: Exchange,
  departed: DepartedSession,
  parts: SessionParts,
): Promise<Settled> {
  return paySession(exchange, parts, async (paying, recordedAt) => {
    const { socket, protocol, protocols } = departed;
    const order: RecordingOrder = { request: { protocols }, keeping: "add" };
    const opened = await openUpstream(exchange, order, parts);
    if ("refusal" in opened)
      throw createUpstreamUnreachable(
        exchange.provider.name,
        exchange.provider.upstream ?? "",
        new Error(localize("it answered with status {0}", opened.refusal.status)),
      );
    const upstream = await catchUp(opened.socket, departed, { exchange, clock: parts.clock });
    const session = { exchange, ...order, parts, paying, recordedAt, protocol, socket, upstream };
    return run({ ...session, before: departed });
  });
}

/** Opens the WebSocket of a client at its provider. @throws TapedeckError if the provider cannot be reached */
export async function openUpstream(
  exchange: Exchange,
  { request }: Pick<RecordingOrder, "request">,
  parts: SessionParts,
) {
  const { sent, provider } = exchange;
  const { prepareOutgoingRequest } = await import("../source/forward.ts");
  const { address, ...outgoing } = prepareOutgoingRequest(sent, provider);
  if (parts.connectSocket === undefined) throw createNoUpstream(provider.name);
  const connect = await parts.connectSocket();
  try {
    return await connect({ ...outgoing, protocols: request.protocols, signal: sent.signal });
  } catch (cause) {
    if (sent.signal.aborted) throw createClientLeft();
    if (isTapedeckError(cause)) throw cause;
    throw createUpstreamUnreachable(provider.name, address, cause);
  }
}

async function acceptClient(
  { sent }: Exchange,
  request: SocketRequest,
  upstream: UpstreamSocket,
): Promise<Socket> {
  const left = new Promise<never>((_, reject) => {
    const leave = (): void => reject(createClientLeft());
    if (sent.signal.aborted) leave();
    sent.signal.addEventListener("abort", leave, { once: true });
  });
  try {
    return await Promise.race([request.accept(upstream.protocol), left]);
  } catch (error) {
    upstream.close({ code: 1001, reason: "" });
    throw error;
  }
}

/** Passes on the HTTP reply of an upstream that did not open the WebSocket. */
async function passRefusal(
  { provider, call }: Exchange,
  refusal: IncomingReply,
  paying: CallBudget,
): Promise<Answer> {
  paying.end();
  const { selectReplyHeaders } = await import("../source/forward.ts");
  const { status } = refusal;
  const reply = { ...refusal, headers: selectReplyHeaders(refusal, { method: call.method }) };
  const reason = localize("{0} answered with status {1}", provider.name, status);
  return {
    outcome: "forwarded",
    reply,
    settled: Promise.resolve({ outcome: "forwarded", reason, upstreamStatus: status }),
  };
}
