import type { Duplex } from "node:stream";
import type { WireReply } from "../../core/call/call.ts";

/** A refusal as bytes, for connections on which no request was understood. `status`: code and phrase. */
export function writeRawRefusal({ headers, body }: WireReply, status: string): Buffer {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  const lines = [
    `HTTP/1.1 ${status}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    "x-tapedeck-outcome: refused",
    `content-length: ${bytes.byteLength}`,
    "connection: close",
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), bytes]);
}

/**
 * Sends these last bytes and closes a connection, even if its client stays, keeps sending, or reads nothing. Data that
 * still arrives is drained and not parsed, so that the client receives the bytes.
 */
export function endWith(socket: Duplex, bytes: Buffer): void {
  socket.removeAllListeners("data");
  // With a listener of our own, Node takes the connection from its parser.
  socket.on("data", () => {});
  socket.on("error", () => socket.destroy());
  socket.end(bytes);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Time for a client that still sends to read why it was refused. */
export const LINGER_MS = 1_000;
