import { type IncomingMessage, request as http1 } from "node:http";
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { Duplex } from "node:stream";
import { LINGER_MS } from "./raw-refusal.ts";

/*
 * There is one reader of requests, and it reads HTTP/1.1. A connection on which a client begins to speak HTTP/2 is taken
 * from Node's parser; each of its streams becomes a connection inside this process, on which HTTP/1.1 is spoken.
 */

/** How long a connection may be there without a stream: until its first one, and between two. */
export interface Http2Patience {
  readonly headMs: number;
  readonly idleMs: number;
}

/**
 * `open` serves a connection that represents one stream of `socket`. Returns a function for what Node's parser failed
 * at: whether it is the beginning of HTTP/2; then the connection is served from now on.
 */
export function serveHttp2(patience: Http2Patience, open: (stream: Duplex, socket: Duplex) => void) {
  const taken = new WeakSet<Duplex>();
  return (failure: NodeJS.ErrnoException, socket: Duplex): boolean => {
    if (taken.has(socket)) return true;
    const { rawPacket } = failure as { rawPacket?: Buffer };
    if (failure.code !== "HPE_PAUSED_H2_UPGRADE" || rawPacket === undefined) return false;
    taken.add(socket);
    // With a listener of our own, Node takes the connection from its parser.
    socket.removeAllListeners("data").on("data", ignore).off("data", ignore).pause();
    socket.unshift(rawPacket);
    void serve(socket, patience, (stream) => open(stream, socket)).catch(() => socket.destroy());
    return true;
  };
}

function ignore(): void {}

async function serve(
  socket: Duplex,
  { headMs, idleMs }: Http2Patience,
  open: (stream: Duplex) => void,
): Promise<void> {
  const { createServer } = await import("node:http2");
  const server = createServer();
  server.on("sessionError", ignore);
  server.on("session", (session) => {
    let underWay = 0;
    // A session is closed only when its client agrees.
    const leave = (): void => {
      if (session.closed && underWay === 0) setTimeout(() => socket.destroy(), LINGER_MS).unref();
    };
    session.setTimeout(headMs, () => {
      session.close();
      leave();
    });
    session.on("stream", (stream) => {
      session.setTimeout(idleMs);
      underWay += 1;
      stream.once("close", () => {
        underWay -= 1;
        leave();
      });
    });
  });
  server.on("stream", (stream, headers) => answer(stream, headers, open));
  server.emit("connection", socket);
}

function answer(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  open: (stream: Duplex) => void,
): void {
  const [ours, theirs] = createMemorySockets();
  open(theirs);
  if (headers.expect?.toLowerCase() === "100-continue") stream.additionalHeaders({ ":status": 100 });
  const request = http1({
    createConnection: () => ours,
    method: headers[":method"],
    path: headers[":path"],
    headers: { host: headers[":authority"], ...plain(headers, OF_HTTP2) },
    setHost: false,
  });
  request.on("response", (reply) => send(stream, reply));
  // If the reply was sent before the request was complete, the rest of the request is not needed.
  const fail = (): void => stream.close(stream.writableEnded ? NO_ERROR : INTERNAL_ERROR);
  request.on("error", fail);
  stream.on("error", ignore);
  stream.once("close", () => ours.destroy());
  stream.pipe(request);
}

function send(stream: ServerHttp2Stream, reply: IncomingMessage): void {
  reply.on("error", () => stream.close(INTERNAL_ERROR));
  if (stream.destroyed || stream.headersSent) return;
  const headers: OutgoingHttpHeaders = { ...plain(reply.headers, OF_HTTP1), ":status": reply.statusCode };
  stream.respond(headers, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers(reply.trailers));
  reply.pipe(stream);
}

const NO_ERROR = 0;
const INTERNAL_ERROR = 2;

const OF_HTTP2 = /^(?::.*|te|expect|connection)$/;
/** RFC 9113, 8.2.2. */
const OF_HTTP1 = /^(?:connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/;

function plain<T extends object>(headers: T, others: RegExp): Partial<T> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !others.test(name))) as Partial<T>;
}

/** Two ends of a connection inside this process: what is written to one is read from the other. */
export function createMemorySockets(): readonly [Duplex, Duplex] {
  const one = new End();
  const other = new End(one);
  return [one, other];
}

class End extends Duplex {
  #other: End | undefined;
  /** Says that the other end may write again. */
  #taken: (() => void) | undefined;

  constructor(other?: End) {
    super({ allowHalfOpen: false });
    this.#other = other;
    if (other !== undefined) other.#other = this;
  }

  override _read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const other = this.#other;
    if (other === undefined || other.destroyed) return done();
    if (other.push(piece)) done();
    else other.#taken = done;
  }

  override _final(done: () => void): void {
    this.#other?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const other = this.#other;
    this.#taken?.();
    done(error);
    other?.destroy();
  }
}
