import { validateHeaderValue } from "node:http";
import type { Answer, WireReply } from "../../core/call.ts";
import { pageHeaders } from "../guard/pages.ts";
import type { Response } from "./node-messages.ts";

/**
 * Writes an answer to the socket. What it gives back for a stream resolves when the last byte is handed over or the
 * client left. `isSoon` says that its request came in this very turn of the event loop.
 */
export function sendAnswer(response: Response, answer: Answer, isSoon: boolean): Promise<void> | undefined {
  if (!isWhole(answer)) return sendStream(response, answer);
  // One reply at a time wakes its reader each time, which costs more than to make the reply: it goes out when this
  // turn has looked at every socket, together with the others. What took longer than a turn has its company already.
  if (isSoon) setImmediate(sendWhole, response, answer);
  else sendWhole(response, answer);
  return undefined;
}

/** What is no reply of a provider's: an answer to hooks and tests. */
export function sendJson(response: Response, value: object): void {
  const body = JSON.stringify(value);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const listed = Object.entries(headers).flatMap(([name, one]) => [name, String(one)]);
  response.writeHead(200, [...listed, ...pageHeaders(response.page, listed)]).end(body);
}

type Sent = Pick<Answer, "reply" | "outcome" | "entry">;

interface WholeAnswer extends Sent {
  readonly reply: WireReply & { readonly body: Uint8Array };
}

function isWhole(answer: Sent): answer is WholeAnswer {
  return answer.reply.body instanceof Uint8Array;
}

async function sendStream(response: Response, answer: Answer): Promise<void> {
  const { status, body } = answer.reply;
  response.writeHead(status, [...headersFor(response, answer), ...response.keepAliveHeader]);
  response.flushHeaders();
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await waitForDrain(response);
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
export function sendRefusal(response: Response, reply: WireReply): void {
  const answer = { reply, outcome: "refused" } as const;
  sendWhole(response, isWhole(answer) ? answer : { ...answer, reply: { ...reply, body: new Uint8Array() } });
}

function sendWhole(response: Response, answer: WholeAnswer): void {
  try {
    writeWhole(response, answer);
  } catch {
    // It has a header that cannot be sent.
    response.destroy();
  }
}

function writeWhole(response: Response, answer: WholeAnswer): void {
  const { status, body } = answer.reply;
  const hasBody = status !== 204 && status !== 304;
  const text = hasBody && response.isPlain ? linesAndBody(answer) : undefined;
  if (text !== undefined && response.sendText(status, text)) return;
  const headers = [...headersFor(response, answer), ...response.keepAliveHeader];
  if (hasBody) headers.push("content-length", String(body.byteLength));
  response.writeHead(status, headers).end(body);
}

/** A text goes out in one piece with the head, which bytes do not; Node makes no copy for up to 16 KiB of both. */
const JOINED_BYTES = 15_360;

/**
 * Our header lines, the reply's own and its body, as characters up to U+00FF; undefined for a long body. What was read
 * from a file goes out often, always as the same.
 */
function linesAndBody(answer: WholeAnswer): string | undefined {
  const { reply, outcome, entry } = answer;
  const isKept = outcome === "replayed" && reply.isAddressed !== true;
  const known = isKept ? replays.get(reply.body) : undefined;
  if (known !== undefined && known.entry === entry) return known.text;
  const { byteLength } = reply.body;
  if (byteLength > JOINED_BYTES) return undefined;
  const lines = linesOf([...headersOf(answer), "content-length", String(byteLength)]);
  // By way of bytes: a text put together of texts stays in pieces, which would be gathered anew each time.
  const text = Buffer.concat([Buffer.from(`${lines}\r\n`, "latin1"), reply.body]).toString("latin1");
  if (isKept) replays.set(reply.body, { entry, text });
  return text;
}

/** What was sent of recorded bodies, for as long as whoever keeps replies has them. */
const replays = new WeakMap<Uint8Array, { readonly entry: string | undefined; readonly text: string }>();

/** @throws TypeError where no header can have a value of these. */
function linesOf(headers: readonly string[]): string {
  let lines = "";
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [name = "", value = ""] = headers.slice(index, index + 2);
    validateHeaderValue(name, value);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

const OUTCOME = "x-tapedeck-outcome";
const ENTRY = "x-tapedeck-entry";

/** Names and values by turns, as Node takes them with the least work. */
function headersOf({ reply, outcome, entry }: Sent): string[] {
  const headers = [OUTCOME, outcome];
  if (entry !== undefined) headers.push(ENTRY, entry);
  for (const [name, value] of reply.headers) headers.push(name, value);
  return headers;
}

/** With those that a page needs to read it. */
function headersFor({ page }: Response, answer: Sent): readonly string[] {
  const headers = headersOf(answer);
  return page === undefined ? headers : [...headers, ...pageHeaders(page, headers)];
}

async function trailersOf(answer: Answer): Promise<Record<string, string>> {
  const { outcome, entry } = await answer.settled;
  return {
    [OUTCOME]: outcome,
    ...(entry !== undefined && { [ENTRY]: entry }),
  };
}

function waitForDrain(response: Response): Promise<void> {
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

/** Tells turns of the event loop apart. */
export interface LoopTurns {
  /** The number of this turn, the same for all that is read from sockets in it. */
  now(): number;
}

export function createLoopTurns(): LoopTurns {
  let turn = 0;
  let isCounted = false;
  return {
    now() {
      if (!isCounted) {
        isCounted = true;
        setImmediate(() => {
          isCounted = false;
          turn += 1;
        });
      }
      return turn;
    },
  };
}
