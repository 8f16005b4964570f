import type { ServerResponse } from "node:http";
import type { Answer, Outcome, WireReply } from "../core/exchange.ts";

/**
 * Writes an answer to the socket. What it gives back for a stream resolves when the last byte is handed over or the
 * client left. `isSoon` says that its request came in this very turn of the event loop.
 */
export function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  isSoon: boolean,
): Promise<void> | undefined {
  const { reply, outcome, entry } = answer;
  const headers = headersOf(reply, outcome);
  if (entry !== undefined) headers.push("x-tapedeck-entry", entry);
  if (!isWhole(reply)) return sendStream(response, answer, headers);
  // One reply at a time wakes its reader each time, which costs more than to make the reply: it goes out when this
  // turn has looked at every socket, together with the others. What took longer than a turn has its company already.
  if (isSoon) setImmediate(sendWhole, response, headers, reply);
  else sendWhole(response, headers, reply);
  return undefined;
}

interface WholeReply extends WireReply {
  readonly body: Uint8Array;
}

function isWhole(reply: WireReply): reply is WholeReply {
  return reply.characters !== undefined || reply.body instanceof Uint8Array;
}

async function sendStream(response: ServerResponse, answer: Answer, headers: string[]): Promise<void> {
  const { status, body } = answer.reply;
  response.writeHead(status, headers);
  response.flushHeaders();
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await drained(response);
    }
  } catch {
    // The upstream broke off: so does what the client sees, as it would without us.
    response.destroy();
    return;
  }
  // What a stream becomes is known at its end; the trailer says it where the header came too early.
  if (answer.outcome === "forwarded") response.addTrailers(await trailersOf(answer));
  response.end();
}

/** Writes a failure of the guard or the engine. */
export function sendRefusal(response: ServerResponse, reply: WireReply): void {
  const headers = headersOf(reply, "refused");
  sendWhole(response, headers, isWhole(reply) ? reply : { ...reply, body: new Uint8Array() });
}

function sendWhole(response: ServerResponse, headers: string[], reply: WholeReply): void {
  const { status } = reply;
  const text = charactersOf(reply);
  const length = text === undefined ? reply.body.byteLength : text.length;
  if (status !== 204 && status !== 304) headers.push("content-length", String(length));
  response.writeHead(status, headers);
  if (text === undefined) response.end(reply.body);
  else endWithText(response, text);
}

/** A text goes out in one piece with the head, which bytes do not; Node makes no copy for up to 16 KiB of both. */
const JOINED_BYTES = 15_360;

/** Written before the end: what `end` is given it writes together with an empty piece, by the slower way for several. */
function endWithText(response: ServerResponse, text: string): void {
  response.cork();
  response.write(text, "latin1");
  response.uncork();
  response.end();
}

/** Undefined for a long body. What was read from a file goes out often. */
function charactersOf(reply: WholeReply): string | undefined {
  if (reply.characters !== undefined) return reply.characters;
  const { buffer, byteOffset, byteLength } = reply.body;
  if (byteLength > JOINED_BYTES) return undefined;
  return (reply.characters = Buffer.from(buffer, byteOffset, byteLength).toString("latin1"));
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
