import { ServerResponse, STATUS_CODES, type Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Request } from "./request.ts";

/** Longer than any client's pool keeps a connection, so that it is never us who closes one in use. */
export const KEEP_ALIVE_MS = 65_000;
const KEEP_ALIVE = `timeout=${KEEP_ALIVE_MS / 1000}`;

/** A response as Node's server makes it, whose head can be given as it is to be sent. */
export class Response extends ServerResponse<Request> {
  /** Node's own place for the head, and what it sends a piece with. */
  declare _header: string;
  declare _send: (piece: string, encoding: "latin1") => boolean;

  constructor(...made: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...made);
    (this.req.socket as Connection)[LATEST] = this;
  }

  /** Whether the connection stays, a body may follow and nothing has set a header: then `sendText` does all of it. */
  get isPlain(): boolean {
    const { req, shouldKeepAlive, headersSent } = this;
    if (!shouldKeepAlive || headersSent || req.method === "HEAD") return false;
    return this.getHeaderNames().length === 0;
  }

  /**
   * The header that says how long the connection stays, if it does; a plain reply has it anyway. Node writes it only where
   * it closes idle connections itself.
   */
  get keepAliveHeader(): readonly string[] {
    const { req, shouldKeepAlive } = this;
    const stays = shouldKeepAlive && req.httpVersion === "1.1" && !this.hasHeader("connection");
    return stays ? ["keep-alive", KEEP_ALIVE] : [];
  }

  /**
   * Sends a plain reply at less than half the cost of `writeHead` and `end`, which take each header apart and write what
   * is given to `end` together with an empty piece. `text` begins with header lines, those that Node adds are not among
   * them. False where this Node is not as it is known here: then nothing was done.
   */
  sendText(status: number, text: string): boolean {
    this.statusCode = status;
    // oxlint-disable no-underscore-dangle -- there is no other way in
    this._header = openingOf(status);
    // Where Node keeps its head in another place one day, it knows of none now.
    if (!this.headersSent) return false;
    this._send(text, "latin1");
    // oxlint-enable no-underscore-dangle
    this.end();
    return true;
  }
}

const LATEST = Symbol("the latest response");

/** What answers the last request that came over a connection. */
export function latestOn(socket: Duplex): Response | undefined {
  return (socket as Connection)[LATEST];
}

/**
 * The latest response over a connection that is idle since; undefined where it is not. Node's own `closeIdleConnections`
 * takes one for idle (since Node 26) that is there and has not said anything yet.
 */
export function idleSince(socket: Duplex): Response | undefined {
  const latest = latestOn(socket);
  return latest?.req.complete && latest.writableFinished ? latest : undefined;
}

interface Connection extends Duplex {
  [LATEST]?: Response;
}

export type HttpServer = Server<typeof Request, typeof Response>;

const opening = { second: -1, status: 0, text: "" };

/** The status line and what Node adds to every head. */
function openingOf(status: number): string {
  const now = Date.now();
  const second = Math.trunc(now / 1000);
  if (opening.second !== second || opening.status !== status) {
    const reason = STATUS_CODES[status] ?? "unknown";
    const date = new Date(now).toUTCString();
    const text = `HTTP/1.1 ${status} ${reason}\r\nDate: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: ${KEEP_ALIVE}\r\n`;
    // By way of bytes it is one piece, which is not gathered anew for each reply.
    Object.assign(opening, { second, status, text: Buffer.from(text).toString("latin1") });
  }
  return opening.text;
}
