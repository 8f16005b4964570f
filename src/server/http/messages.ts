import { IncomingMessage, ServerResponse, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { ATTRIBUTION_HEADER } from "../../core/call/attribution.ts";
import type { WireHeaders } from "../../core/call/call.ts";

/** A request of Node's server, with the headers that Tapedeck reads. */
export class Request extends IncomingMessage {
  #head: Head | undefined;

  get head(): Head {
    return (this.#head ??= new Head(this));
  }
}

/** Longer than any client's pool keeps a connection, so that the server never closes one that is in use. */
export const KEEP_ALIVE_MS = 65_000;

/** A response of Node's server. */
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
