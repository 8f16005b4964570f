import type { Exchange } from "../../match/read-request.ts";
import type { Answer, WireHeaders } from "../../call/call.ts";
import type { UpstreamReply, UpstreamSocket } from "../../call/socket.ts";

/** Somewhere answers come from. A mode is an ordered list of these; the first answer wins. */
export interface AnswerSource {
  readonly name: "recordings" | "upstream" | "script" | "default" | "faults" | "telemetry";
  /** Undefined passes the call on to the next source; a TapedeckError ends the exchange. */
  answer(exchange: Exchange): Promise<SourceAnswer>;
}

export type SourceAnswer = Answer | undefined;

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

/** A reply from the upstream. The body is content-decoded. */
export type IncomingReply = UpstreamReply;

/** Opens a WebSocket to a provider. Loaded only when a session has to be recorded. */
export type ConnectSocket = (request: OutgoingHandshake) => Promise<UpstreamHandshake>;

export interface OutgoingHandshake extends Pick<
  OutgoingRequest,
  "url" | "headers" | "signal" | "mayBePrivate"
> {
  readonly protocols: readonly string[];
}

/** The open WebSocket, or the HTTP reply of an upstream that does not open one. */
export type UpstreamHandshake = { readonly socket: UpstreamSocket } | { readonly refusal: IncomingReply };
