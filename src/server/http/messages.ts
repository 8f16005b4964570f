import { IncomingMessage, ServerResponse, type Server } from "node:http";
import { type Duplex, Readable } from "node:stream";
import { createBadRequest, createBodyTooLarge, isTapedeckError } from "../../core/base/errors.ts";
import { localize } from "../../core/base/localize.ts";
import { ATTRIBUTION_HEADER } from "../../core/call/attribution.ts";
import type { Answer, WireHeaders, WireReply } from "../../core/call/call.ts";

/** A request of Node's server, with the headers that Tapedeck reads. */
export class Request extends IncomingMessage {
  #head: Head | undefined;

  get head(): Head {
    return (this.#head ??= new Head(this));
  }
}

/** Longer than any client's pool keeps a connection, so that the server never closes one that is in use. */
export const KEEP_ALIVE_MS = 65_000;

export class Response extends ServerResponse<Request> {
  /** The origin of the page that may read it, if a page sent the request. */
  page: string | undefined;

  constructor(...made: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...made);
    (this.req.socket as Connection)[LATEST] = this;
  }
}

const LATEST = Symbol("the latest response");

/** Returns the response to the last request on a connection. */
export function getLatestOn(socket: Duplex): Response | undefined {
  return (socket as Connection)[LATEST];
}

interface Connection extends Duplex {
  [LATEST]?: Response;
}

export type HttpServer = Server<typeof Request, typeof Response>;

/** Returns the connections of a server, kept up to date. */
export function listOpenConnections(server: HttpServer): ReadonlySet<Duplex> {
  const open = new Set<Duplex>();
  server.on("connection", (socket: Duplex) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  return open;
}

/** Names the cassette of a call. */
const CASSETTE_HEADER = "x-tapedeck-cassette";
const OURS = new Set([ATTRIBUTION_HEADER, CASSETTE_HEADER, "content-encoding"]);

/** The headers of a request, read in one pass. */
export class Head {
  host: string | undefined;
  origin: string | undefined;
  upgrade: string | undefined;
  /** The first one if there are several. */
  contentType: string | undefined;
  contentEncoding: string | undefined;
  contentLength: number | undefined;
  expect: string | undefined;
  /** Undefined if it is absent or was sent twice. */
  attribution: string | undefined;
  cassette: string | undefined;
  /** All headers but those for Tapedeck, and the content encoding, which is undone here. */
  readonly headers: WireHeaders;

  constructor({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">) {
    const headers: [name: string, value: string][] = [];
    let attributions = 0;
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = (rawHeaders[index] ?? "").toLowerCase();
      const value = rawHeaders[index + 1] ?? "";
      if (name === ATTRIBUTION_HEADER) this.attribution = ++attributions === 1 ? value : undefined;
      else this.#note(name, value);
      if (!OURS.has(name)) headers.push([name, value]);
    }
    this.headers = headers;
  }

  #note(name: string, value: string): void {
    switch (name) {
      case CASSETTE_HEADER:
        this.cassette = value.slice(0, LONGEST_CASSETTE);
        break;
      case "content-encoding":
        this.contentEncoding = joinValues(this.contentEncoding, value);
        break;
      case "content-length":
        this.contentLength = Number(value);
        break;
      case "content-type":
        this.contentType ??= value;
        break;
      case "expect":
        this.expect = value;
        break;
      case "host":
        this.host = joinValues(this.host, value);
        break;
      case "origin":
        this.origin = joinValues(this.origin, value);
        break;
      case "upgrade":
        this.upgrade = joinValues(this.upgrade, value);
        break;
    }
  }
}

const LONGEST_CASSETTE = 1_024;

/** Joins the values of a header that was sent more than once. */
function joinValues(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}

/** Decoded request bodies end here: 64 MiB. */
export const BODY_LIMIT_BYTES = 64 * 1_048_576;

/**
 * Reads a request's body, content encoding undone.
 * @throws TapedeckError `tapedeck_too_large` past the limit, `tapedeck_bad_request` if it cannot be decoded
 */
export async function readRequestBody(request: Request): Promise<Uint8Array> {
  const { contentEncoding, contentLength } = request.head;
  const encoding = contentEncoding?.trim().toLowerCase() ?? "";
  if ((contentLength ?? 0) > BODY_LIMIT_BYTES) throw createBodyTooLarge(BODY_LIMIT_BYTES);
  if (encoding === "" || encoding === "identity") return collect(request);
  // Few clients compress their requests, and Node loads its decoders slowly.
  const { explainUndecodable, removeContentEncoding } = await import("./content-encoding.ts");
  if (explainUndecodable(encoding) !== undefined)
    throw createBadRequest(
      localize('its content encoding "{0}" is unknown.', encoding),
      localize("Use gzip, br, deflate, or no encoding; zstd needs Node 22.15."),
    );
  // A request stays open, so that its client receives the reason of a failure.
  const body = Readable.from(removeContentEncoding(request.iterator({ destroyOnReturn: false }), encoding));
  try {
    return await collect(body);
  } catch (error) {
    throw isTapedeckError(error) && error.code === "tapedeck_upstream"
      ? createBadRequest(
          localize("its body is not valid {0}.", encoding),
          localize("Check the content-encoding header."),
          error,
        )
      : error;
  } finally {
    body.destroy();
  }
}

/** Reads a stream to its end. If that fails, a request stays open, so that its client receives the reason. */
function collect(stream: Readable): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    let size = 0;
    const take = (piece: Uint8Array): void => {
      size += piece.byteLength;
      pieces.push(piece);
      if (size <= BODY_LIMIT_BYTES) return;
      stream.off("data", take).pause();
      reject(createBodyTooLarge(BODY_LIMIT_BYTES));
    };
    stream.on("data", take);
    stream.once("end", () => resolve(Buffer.concat(pieces)));
    stream.once("error", reject);
    stream.once("close", () => {
      if (!stream.readableEnded) reject(new Error("the client left"));
    });
  });
}

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
