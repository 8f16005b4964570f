import { ServerResponse, STATUS_CODES, type Server } from "node:http";
import type { Duplex } from "node:stream";
import type { Request } from "./request.ts";

/** Longer than any client's pool keeps a connection, so that it is never us who closes one in use. */
export const KEEP_ALIVE_MS = 65_000;

/** A response as Node's server makes it, whose head can be given as it is to be sent. */
export class Response extends ServerResponse<Request> {
  /** Node's own place for the head, and what it sends a piece with. */
  declare _header: string;
  declare _send: (piece: string, encoding: "latin1") => boolean;

  constructor(...made: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...made);
    (this.req.socket as Connection)[LATEST] = this;
  }

  /**
   * Sends a whole reply at less than half the cost of `writeHead` and `end`, which take each header apart and write what
   * is given to `end` together with an empty piece. `text` begins with header lines, those that Node adds are not among
   * them. False where that is not all there is to be said: then nothing was done.
   */
  sendText(status: number, text: string): boolean {
    if (!this.#isPlain(status)) return false;
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

  /** Whether the connection stays, a body follows and nothing else has set a header. */
  #isPlain(status: number): boolean {
    const { req } = this;
    return (
      this.shouldKeepAlive &&
      req.method !== "HEAD" &&
      req.httpVersion === "1.1" &&
      status >= 200 &&
      status !== 204 &&
      status !== 304 &&
      !this.headersSent &&
      this.getHeaderNames().length === 0
    );
  }
}

const LATEST = Symbol("the latest response");

/** What answers the last request that came over a connection. */
export function latestOn(socket: Duplex): Response | undefined {
  return (socket as Connection)[LATEST];
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
    const text = `HTTP/1.1 ${status} ${reason}\r\nDate: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n`;
    // By way of bytes it is one piece, which is not gathered anew for each reply.
    Object.assign(opening, { second, status, text: Buffer.from(text).toString("latin1") });
  }
  return opening.text;
}
