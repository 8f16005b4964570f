/** WebSockets as the engine sees them. `server/sockets` implements these types with the `ws` package. */

import type { TapedeckError } from "../base/errors.ts";

/** One message of a WebSocket: text, or bytes. */
export type SocketMessage = { readonly text: string } | { readonly bytes: Uint8Array };

/** The end of a WebSocket. The codes 1005 (no code) and 1006 (no close frame) are never sent. Source: RFC 6455, 7.4. */
export interface SocketClose {
  readonly code: number;
  readonly reason: string;
  /** Why the connection was ended if the other end violated the protocol, as a sentence without its period. */
  readonly fault?: string;
}

/** Everything that one end of a WebSocket receives, in order. */
export interface SocketListener {
  message(message: SocketMessage): void;
  ping(payload: Uint8Array): void;
  /** The other end is closing: `answer` completes the closing handshake. Called once; nothing follows. */
  close(close: SocketClose, answer: () => void): void;
}

/** One end of an open WebSocket. */
export interface Socket {
  /** Starts to read. Messages that arrived before are delivered first. */
  listen(listener: SocketListener): void;
  send(message: SocketMessage): void;
  /** Resolves when the other end has handled all messages so far, as far as it answers pings. */
  settle(): Promise<void>;
  ping(payload: Uint8Array): void;
  close(close: SocketClose): void;
}

/** A client that asks for a WebSocket. */
export interface SocketRequest {
  /** The subprotocols that the client offers, in its order. Can include a credential. */
  readonly protocols: readonly string[];
  /** Opens the WebSocket with one of the offered subprotocols, or none. */
  accept(protocol: string | undefined): Promise<Socket>;
}

/** An open WebSocket of the upstream. */
export interface UpstreamSocket extends Socket {
  /** The subprotocol that the upstream chose. */
  readonly protocol: string | undefined;
}

/** A reply of a provider as it arrives. Reading the body throws if the connection breaks. */
export interface UpstreamReply {
  readonly status: number;
  /** The reason phrase, if it differs from the standard one for the status. */
  readonly statusText?: string;
  /** Lower-case names, in wire order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: AsyncIterable<Uint8Array>;
  /** Why the body has its content encoding, which cannot be decoded here. Such a reply is not recorded. */
  readonly undecoded?: TapedeckError;
}

/** Larger messages end a session with close code 1009. */
export const MOST_MESSAGE_BYTES = 16 * 1_048_576;
