import type { Answer, WireReply } from "../../core/call/call.ts";
import type { Response } from "./messages.ts";

/** Returns the CORS headers that let a page of this origin read a reply with these headers, as a list of names and values. */
export function createPageHeaders(
  origin: string | undefined,
  headers: readonly string[] = [],
): readonly string[] {
  if (origin === undefined) return [];
  const names = headers.filter((_, index) => index % 2 === 0);
  return [
    "access-control-allow-origin",
    origin,
    "access-control-allow-credentials",
    "true",
    ...(names.length === 0 ? [] : ["access-control-expose-headers", [...new Set(names)].join(", ")]),
    "vary",
    "origin",
  ];
}

/** Writes an answer. For a stream, returns a promise that resolves when the last byte was written or the client left. */
export function sendAnswer(response: Response, answer: Answer): Promise<void> | undefined {
  if (!isWhole(answer)) return sendStream(response, answer);
  sendWhole(response, answer);
  return undefined;
}

/** Answers a request of hooks and tests with JSON. */
export function sendJson(response: Response, value: object): void {
  const body = JSON.stringify(value);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const listed = Object.entries(headers).flatMap(([name, one]) => [name, String(one)]);
  response.writeHead(200, [...listed, ...createPageHeaders(response.page, listed)]).end(body);
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
    // The upstream broke the connection, so the client's connection breaks, too.
    response.destroy();
    return;
  }
  // The outcome of a stream may be known only at its end: then the trailer reports it.
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
    // A header cannot be sent.
    response.destroy();
  }
}

function writeWhole(response: Response, answer: WholeAnswer): void {
  const { status, statusText, body, headers } = answer.reply;
  const all = [...headersFor(response, answer)];
  // A reply to HEAD has the content length of the reply to GET among its headers.
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

/** Returns a list of names and values, which Node writes with the least work. */
function headersOf({ reply, outcome, entry }: SentAnswer): string[] {
  const headers = [OUTCOME, outcome];
  if (entry !== undefined) headers.push(ENTRY, entry);
  for (const [name, value] of reply.headers) headers.push(name, value);
  return headers;
}

/** Adds the headers that a page needs to read the reply. */
function headersFor({ page }: Response, answer: SentAnswer): readonly string[] {
  const headers = headersOf(answer);
  return page === undefined ? headers : [...headers, ...createPageHeaders(page, headers)];
}

async function trailersOf(answer: Answer): Promise<Record<string, string>> {
  const { outcome, entry } = await answer.settled;
  return {
    [OUTCOME]: outcome,
    ...(entry !== undefined && { [ENTRY]: entry }),
  };
}

/** Resolves when the client accepts more data, or left. */
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
