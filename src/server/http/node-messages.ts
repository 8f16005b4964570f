import { IncomingMessage, ServerResponse, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { ATTRIBUTION_HEADER } from "../../core/call/attribution.ts";
import type { WireHeaders } from "../../core/call/call.ts";

// Requests and responses as Node's server makes them.

/** A request as Node's server makes it. `head` has what we read of its headers. */
export class Request extends IncomingMessage {
  #head: Head | undefined;

  get head(): Head {
    return (this.#head ??= new Head(this));
  }

  /** Whether the body is short, of a known length, and not encoded, as that of most calls is. */
  get hasPlainBody(): boolean {
    const { contentEncoding, contentLength } = this.head;
    return contentEncoding === undefined && contentLength !== undefined && contentLength <= SMALL_BYTES;
  }

  /** Reads a plain body: at once, because an iterator costs more than all else that is done with one. */
  readPlainBody(): Promise<Uint8Array> {
    const pieces: Buffer[] = [];
    return new Promise((resolve, reject) => {
      this.on("data", (piece: Buffer) => pieces.push(piece));
      this.once("end", () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)));
      this.once("error", reject);
    });
  }
}

/** Bodies up to this size wait for no room: whatever else is sent, these are served. */
export const SMALL_BYTES = 1_048_576;

/** Longer than any client's pool keeps a connection, so that it is never us who closes one in use. */
export const KEEP_ALIVE_MS = 65_000;

/** A response as Node's server makes it. */
export class Response extends ServerResponse<Request> {
  /** The origin of the page that may read it, if a page sent the request. */
  page: string | undefined;

  constructor(...made: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...made);
    (this.req.socket as Connection)[LATEST] = this;
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

/** Names the cassette of a call. */
const CASSETTE_HEADER = "x-tapedeck-cassette";
const OURS = new Set([ATTRIBUTION_HEADER, CASSETTE_HEADER, "content-encoding"]);

/** The headers of a request, read in one pass: every call pays for this. */
export class Head {
  host: string | undefined;
  origin: string | undefined;
  upgrade: string | undefined;
  /** The first one, which counts. */
  contentType: string | undefined;
  contentEncoding: string | undefined;
  contentLength: number | undefined;
  expect: string | undefined;
  /** Undefined where it is absent or sent twice. */
  attribution: string | undefined;
  cassette: string | undefined;
  /** As sent, except what is only for us: the attribution, and the content encoding that we undo. */
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

/** A header that is sent twice says both. */
function joinValues(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}
