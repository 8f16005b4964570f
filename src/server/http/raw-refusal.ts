import type { Duplex } from "node:stream";
import type { WireReply } from "../../core/call/call.ts";

/** A refusal as bytes, for connections on which no request was understood. `status`: code and phrase. */
export function rawRefusal({ headers, body }: WireReply, status: string): Buffer {
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
 * Says these last words and closes a connection, whatever its client does: whether it stays, goes on sending, or reads
 * nothing. What it still sends becomes no request; it is read only so that the client does not lose the words.
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
