import type { WireReply } from "../../core/call.ts";

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
