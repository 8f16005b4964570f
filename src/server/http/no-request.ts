import { localize } from "../../core/base/localize.ts";
import type { Duplex } from "node:stream";
import type { Engine } from "../../core/answer/engine.ts";
import { createBadRequest, type TapedeckError } from "../../core/base/errors.ts";
import { endWith, writeRawRefusal } from "./raw-refusal.ts";
import { getLatestOn, type HttpServer, type Response } from "./messages.ts";

export interface NoRequestOptions {
  readonly engine: Pick<Engine, "refuse">;
  readonly maxHeaderBytes: number;
  /** Whether it serves the connection from now on, as HTTP/2. */
  readonly takeHttp2: (failure: NodeJS.ErrnoException, socket: Duplex) => boolean;
  readonly onRefusal?: (error: TapedeckError) => void;
  /** Told of a connection on which a client begins with TLS, which is not spoken here. */
  readonly onTls?: (socket: Duplex, error: TapedeckError) => void;
}

/** Node's code for a connection that its client closes within a request. */
const CLOSED_EARLY = "HPE_INVALID_EOF_STATE";

/** How TLS begins: a record of a handshake. */
const HANDSHAKE = 0x16;

/** A record of TLS: a fatal alert, "handshake failure". A client of TLS cannot read a reply of HTTP. Source: RFC 8446, 5.1 and 6.2. */
const ALERT = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);

/** Answers what never became a request (headers without end, what is not HTTP, a head that takes too long), in Node's place. */
export function answerNoRequests(server: HttpServer, options: NoRequestOptions): void {
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
      options.onTls?.(socket, error);
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
