import type { Answer, WireReply } from "../../core/call/call.ts";
import { pageHeaders } from "../guard/pages.ts";
import type { Response } from "./node-messages.ts";

/** Writes an answer to the socket. A stream's promise resolves when the last byte is handed over or the client left. */
export function sendAnswer(response: Response, answer: Answer): Promise<void> | undefined {
  if (!isWhole(answer)) return sendStream(response, answer);
  sendWhole(response, answer);
  return undefined;
}

/** What is no reply of a provider's: an answer to hooks and tests. */
export function sendJson(response: Response, value: object): void {
  const body = JSON.stringify(value);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const listed = Object.entries(headers).flatMap(([name, one]) => [name, String(one)]);
  response.writeHead(200, [...listed, ...pageHeaders(response.page, listed)]).end(body);
}

type SentAnswer = Pick<Answer, "reply" | "outcome" | "entry">;

interface WholeAnswer extends SentAnswer {
  readonly reply: WireReply & { readonly body: Uint8Array };
}

function isWhole(answer: SentAnswer): answer is WholeAnswer {
  return answer.reply.body instanceof Uint8Array;
}

async function sendStream(response: Response, answer: Answer): Promise<void> {
  const { body } = answer.reply;
  writeHead(response, answer.reply, headersFor(response, answer));
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
  const { status, statusText, body, headers } = answer.reply;
  const all = [...headersFor(response, answer)];
  // The length of a reply to HEAD is that of the reply to GET: it is among its headers.
  const hasLength = response.req.method === "HEAD" && headers.some(([name]) => name === "content-length");
  if (status !== 204 && status !== 304 && !hasLength) all.push("content-length", String(body.byteLength));
  writeHead(response, { status, statusText }, all);
  response.end(body);
}

function writeHead(
  response: Response,
  { status, statusText }: Pick<WireReply, "status" | "statusText">,
  headers: readonly string[],
): void {
  if (statusText === undefined) response.writeHead(status, [...headers]);
  else response.writeHead(status, statusText, [...headers]);
}

const OUTCOME = "x-tapedeck-outcome";
const ENTRY = "x-tapedeck-entry";

/** Names and values by turns, as Node takes them with the least work. */
function headersOf({ reply, outcome, entry }: SentAnswer): string[] {
  const headers = [OUTCOME, outcome];
  if (entry !== undefined) headers.push(ENTRY, entry);
  for (const [name, value] of reply.headers) headers.push(name, value);
  return headers;
}

/** With those that a page needs to read it. */
function headersFor({ page }: Response, answer: SentAnswer): readonly string[] {
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

/** Resolves when the client has room again, or left. */
export function waitForDrain(response: Response): Promise<void> {
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
