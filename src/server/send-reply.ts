import type { ServerResponse } from "node:http";
import type { Answer, Outcome, WireReply } from "../core/exchange.ts";

/**
 * Writes an answer to the socket. Resolves when its last byte is handed over or the client left.
 * `isSoon` says that its request came in this very turn of the event loop.
 */
export async function sendAnswer(response: ServerResponse, answer: Answer, isSoon: boolean): Promise<void> {
  const { reply, outcome, entry } = answer;
  const headers = headersOf(reply, outcome);
  if (entry !== undefined) headers.push("x-tapedeck-entry", entry);
  if (reply.body instanceof Uint8Array) {
    const body = reply.body;
    // One reply at a time wakes its reader each time, which costs more than to make the reply: it goes out when this
    // turn has looked at every socket, together with the others. What took longer than a turn has its company already.
    if (isSoon) setImmediate(() => sendWhole(response, reply.status, headers, body));
    else sendWhole(response, reply.status, headers, body);
    return;
  }
  response.writeHead(reply.status, headers);
  response.flushHeaders();
  try {
    for await (const chunk of reply.body) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await drained(response);
    }
  } catch {
    // The upstream broke off: so does what the client sees, as it would without us.
    response.destroy();
    return;
  }
  // What a stream becomes is known at its end; the trailer says it where the header came too early.
  if (outcome === "forwarded") response.addTrailers(await trailersOf(answer));
  response.end();
}

/** Writes a failure of the guard or the engine. */
export function sendRefusal(response: ServerResponse, reply: WireReply): void {
  const headers = headersOf(reply, "refused");
  const body = reply.body instanceof Uint8Array ? reply.body : new Uint8Array();
  sendWhole(response, reply.status, headers, body);
}

function sendWhole(response: ServerResponse, status: number, headers: string[], body: Uint8Array): void {
  if (status !== 204 && status !== 304) headers.push("content-length", String(body.byteLength));
  response.writeHead(status, headers);
  if (body.byteLength > JOINED_BYTES) response.end(body);
  else response.end(asBuffer(body).toString("latin1"), "latin1");
}

/** A text goes out in one piece with the head, which bytes do not; Node makes no copy for up to 16 KiB of both. */
const JOINED_BYTES = 15_360;

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Names and values by turns, as Node takes them with the least work. */
function headersOf(reply: WireReply, outcome: Outcome): string[] {
  const headers = ["x-tapedeck-outcome", outcome];
  for (const [name, value] of reply.headers) headers.push(name, value);
  return headers;
}

async function trailersOf(answer: Answer): Promise<Record<string, string>> {
  const { outcome, entry } = await answer.settled;
  return {
    "x-tapedeck-outcome": outcome,
    ...(entry !== undefined && { "x-tapedeck-entry": entry }),
  };
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    response.once("drain", done);
    response.once("close", done);
  });
}
