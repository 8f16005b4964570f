import { createGuard, type Admissions } from "./guard/guard.ts";
import { takeTunnels } from "./guard/tunnels.ts";
import { serveHttp2, type Http2Patience } from "./http/http2.ts";
import { type HttpServer, type Request, Response, getLatestOn } from "./http/messages.ts";
import { createHandler, type IncomingOptions } from "./incoming.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import type { Socket } from "node:net";
import type { Upgrade } from "./sockets/take-socket.ts";
import { localize } from "../core/base/localize.ts";
import type { Duplex } from "node:stream";
import { createBadRequest, type TapedeckError } from "../core/base/errors.ts";
import { endWith, writeRawRefusal } from "./http/raw-refusal.ts";

export interface ConnectionOptions extends IncomingOptions {
  readonly port: number;
  readonly admissions: Admissions;
  readonly patience: Http2Patience;
  readonly maxHeaderBytes: number;
  /** Those to whose hosts connections may be redirected; none where absent. */
  readonly providers?: ProviderTable;
}

/** Answers the requests on a server's connections, and what is no request. */
export function serveConnections(server: HttpServer, options: ConnectionOptions): void {
  const { port, admissions, patience } = options;
  const tunnels = takeTunnels(server, options);
  const take = createHandler({ port, guard: createGuard(port), admissions, tunnels, options });
  server.on("request", take);
  // Clients that send `Expect: 100-continue` get their response before they send a body.
  server.on("checkContinue", take);
  takeUpgrades(server, take);
  const takeHttp2 = serveHttp2(patience, (stream, socket) => {
    tunnels.extend(socket, stream);
    server.emit("connection", stream);
  });
  answerNoRequests(server, { ...options, takeHttp2, onTls: (...note) => tunnels.noteTls(...note) });
}

/** Passes requests for a WebSocket on. Requests for any other upgrade are answered without it. */
function takeUpgrades(
  server: HttpServer,
  take: (request: Request, response: Response, upgraded: Upgrade) => void,
): void {
  server.on("upgrade", (request: Request, socket: Socket, head: Buffer) => {
    if (request.head.upgrade?.toLowerCase() === "websocket")
      take(request, responseOf(request, socket), readAhead(socket, head));
    else ignoreUpgrade(server, request, { socket, head });
  });
}

/** Maximum bytes that are read before the answer. A client sends none until then. */
const MOST_AHEAD = 65_536;

/** Reads a connection that left HTTP, because only a connection that is read shows that its client left. */
function readAhead(socket: Socket, head: Buffer): Upgrade {
  const early = [head];
  let length = 0;
  const keep = (bytes: Buffer): void => {
    early.push(bytes);
    length += bytes.length;
    if (length > MOST_AHEAD) socket.pause();
  };
  const leave = (): void => void socket.destroy();
  socket.on("data", keep).once("end", leave).on("error", leave);
  return {
    socket,
    takeHead() {
      socket.pause().off("data", keep).off("end", leave);
      return Buffer.concat(early);
    },
  };
}

/** Returns the response to a request that Node took off its HTTP connection, for a reply that does not upgrade it. */
function responseOf(request: Request, socket: Socket): Response {
  const response = new Response(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => {
    response.detachSocket(socket);
    socket.end();
  });
  return response;
}

/**
 * Reads a request again without its headers for an upgrade, which a server may ignore (RFC 9110, 7.8). Clients of HTTP/2
 * offer it with their first request.
 */
function ignoreUpgrade(
  server: HttpServer,
  request: Request,
  { socket, head }: { readonly socket: Socket; readonly head: Buffer },
): void {
  const { method = "GET", url = "/", rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (/^(?:upgrade|http2-settings)$/i.test(name)) continue;
    lines.push(`${name}: ${/^connection$/i.test(name) ? value.replace(OF_UPGRADE, "") : value}`);
  }
  const text = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  socket.unshift(Buffer.concat([text, head]));
  server.emit("connection", socket);
}

/** The words of a Connection header that belong to an upgrade. */
const OF_UPGRADE = /\b(?:upgrade|http2-settings)\b\s*,?/gi;

interface NoRequestOptions extends ConnectionOptions {
  /** Whether it serves the connection from now on, as HTTP/2. */
  readonly takeHttp2: (failure: NodeJS.ErrnoException, socket: Duplex) => boolean;
  /** Told of a connection on which a client begins with TLS, which is not spoken here. */
  readonly onTls: (socket: Duplex, error: TapedeckError) => void;
}

/** Node's code for a connection that its client closes within a request. */
const CLOSED_EARLY = "HPE_INVALID_EOF_STATE";

/** How TLS begins: a record of a handshake. */
const HANDSHAKE = 0x16;

/** A record of TLS: a fatal alert, "handshake failure". A client of TLS cannot read a reply of HTTP. Source: RFC 8446, 5.1 and 6.2. */
const ALERT = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);

/** Answers what never became a request (headers without end, what is not HTTP, a head that takes too long), in Node's place. */
function answerNoRequests(server: HttpServer, options: NoRequestOptions): void {
  server.on("clientError", (failure: NodeJS.ErrnoException, socket: Duplex) => {
    if (options.takeHttp2(failure, socket)) return;
    const latest = getLatestOn(socket);
    const isUnderWay = latest !== undefined && isToBeAnswered(latest);
    // The client is gone, or this reply would corrupt one that is being sent.
    if (failure.code === "ECONNRESET" || !socket.writable || isUnderWay) {
      socket.destroy();
      return;
    }
    const { rawPacket } = failure as { readonly rawPacket?: Buffer };
    if (latest === undefined && rawPacket?.[0] === HANDSHAKE) {
      const error = spokenTls(failure);
      options.onTls(socket, error);
      options.onRefusal?.(error);
      endWith(socket, ALERT);
      return;
    }
    const { error, status } = readFailure(failure, options.maxHeaderBytes);
    // A program may give up a call, for example with its task.
    if (failure.code !== CLOSED_EARLY) options.onRefusal?.(error);
    endWith(socket, writeRawRefusal(options.engine.refuse(undefined, error), status));
  });
}

/** Whether a reply to this request is coming. A request with a bad or missing body gets none. */
function isToBeAnswered(response: Response): boolean {
  return !response.writableFinished && (response.req.complete || response.headersSent);
}

function spokenTls(cause: Error): TapedeckError {
  return createBadRequest(
    localize("it uses TLS (wss: or https:), but Tapedeck answers plain HTTP."),
    localize(
      "A client without Tapedeck's hooks needs ws: and http: in place of wss: and https:, as in the address that Tapedeck set.",
    ),
    cause,
  );
}

function readFailure(
  failure: NodeJS.ErrnoException,
  maxHeaderBytes: number,
): { readonly error: TapedeckError; readonly status: string } {
  if (failure.code === "HPE_HEADER_OVERFLOW") {
    const error = createBadRequest(
      localize("its headers are larger than {0} KiB.", maxHeaderBytes / 1024),
      localize("Send fewer or shorter headers."),
      failure,
    );
    return { error, status: "431 Request Header Fields Too Large" };
  }
  if (failure.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    const error = createBadRequest(
      localize("it did not arrive completely in time."),
      localize("Send the whole request at once."),
      failure,
    );
    return { error, status: "408 Request Timeout" };
  }
  const [what, how] =
    failure.code === CLOSED_EARLY
      ? [localize("its client closed the connection first."), localize("Send the whole request at once.")]
      : [localize("it is not HTTP ({0}).", failure.code ?? failure.message), localize("Use HTTP/1.1.")];
  return { error: createBadRequest(what, how, failure), status: "400 Bad Request" };
}
