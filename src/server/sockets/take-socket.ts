import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket as Connection } from "node:net";
import { WebSocketServer } from "ws";
import { localize } from "../../core/base/localize.ts";
import { createBadRequest } from "../../core/base/errors.ts";
import { MOST_MESSAGE_BYTES, type Socket, type SocketRequest } from "../../core/call/socket.ts";
import { HeldSocket, wrapSocket } from "./held-socket.ts";

/** A connection that left HTTP. It is read until its bytes are taken. */
export interface Upgrade {
  readonly socket: Connection;
  /** Pauses the connection, and returns the bytes that arrived after its request. */
  readonly takeHead: () => Buffer;
}

/** Handshakes of WebSockets. Compression is off: a session is recorded uncompressed, and on this machine it only costs time. */
let handshakes: WebSocketServer | undefined;
const chosen = new WeakMap<IncomingMessage, string | undefined>();

/**
 * Returns the request for a WebSocket, whose handshake is answered when it is accepted.
 * @throws TapedeckError `tapedeck_bad_request` if the request is no valid handshake
 */
export function takeSocket(
  request: IncomingMessage,
  response: ServerResponse,
  { socket, takeHead }: Upgrade,
): SocketRequest {
  handshakes ??= new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MOST_MESSAGE_BYTES,
    WebSocket: HeldSocket,
    handleProtocols: (_, upgrade: IncomingMessage) => chosen.get(upgrade) ?? false,
  });
  const server = handshakes;
  const { headers, method } = request;
  if (
    method !== "GET" ||
    headers["sec-websocket-version"] !== "13" ||
    !KEY.test(headers["sec-websocket-key"] ?? "")
  )
    throw createBadRequest(
      localize("it is not a valid handshake of a WebSocket."),
      localize("Use WebSocket version 13, with GET and a Sec-WebSocket-Key."),
    );
  const protocols = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  return {
    protocols: protocols.filter((name) => name !== ""),
    accept(protocol) {
      chosen.set(request, protocol);
      response.detachSocket(socket);
      return new Promise<Socket>((resolve) => {
        server.handleUpgrade(request, socket, takeHead(), (ws) => resolve(wrapSocket(ws as HeldSocket)));
      });
    },
  };
}

/** 16 bytes in Base64. Source: RFC 6455, 4.2.1. */
const KEY = /^[+/0-9A-Za-z]{22}==$/;
