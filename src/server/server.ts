import { localize } from "../core/base/localize.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createTapedeckError, type TapedeckError } from "../core/base/errors.ts";
import type { Run } from "../core/call/call.ts";
import { createAdmissions, type Admission } from "./guard/guard.ts";
import { Request, KEEP_ALIVE_MS, listOpenConnections, Response, type HttpServer } from "./http/messages.ts";
import { serveConnections, type ConnectionOptions } from "./serve-connections.ts";

/** The replay server: HTTP in, engine, HTTP out. It knows neither recordings nor modes. */
export interface ReplayServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Admits a run under a token: a fresh one of 192 random bits where none is given. */
  admit(run: Run, token?: string): Admission;
  /** Requests that were let in, ever. */
  readonly requests: number;
  /** Ends the calls under way and frees the port. */
  close(): Promise<void>;
}

export interface ListenOptions extends Omit<
  ConnectionOptions,
  "port" | "admissions" | "patience" | "maxHeaderBytes"
> {
  /** A free port where none is given. */
  readonly port?: number;
  /** How long clients may take. */
  readonly patience?: Partial<Patience>;
}

/** Default: 60 s for the head of a request, 300 s for all of it, and 65 s between two. */
export interface Patience {
  readonly headMs: number;
  /** At least `headMs`. */
  readonly requestMs: number;
  /** Between two requests of a connection. */
  readonly idleMs: number;
  /** How often the first two are checked. */
  readonly checkMs: number;
}

const PATIENCE: Patience = { headMs: 60_000, requestMs: 300_000, idleMs: KEEP_ALIVE_MS, checkMs: 10_000 };

/** Connections that wait to be accepted: as many as the system allows, which a suite opens at once. */
const BACKLOG = 4_096;
/** Attribution needs up to 3 KiB beside what a client sends. */
const MAX_HEADER_BYTES = 32 * 1024;

/** Listens on 127.0.0.1. @throws TapedeckError `tapedeck_usage` where the port is taken or not allowed. */
export async function listen(options: ListenOptions): Promise<ReplayServer> {
  const patience = { ...PATIENCE, ...options.patience };
  const server = createHttpServer(patience);
  const open = listOpenConnections(server);
  const port = await bind(server, options.port ?? 0);
  const origin = `http://127.0.0.1:${port}`;
  const admissions = createAdmissions(origin);
  // The command line loads this code with the first connection, which it reads afterwards.
  server.once("connection", () =>
    serveConnections(server, { ...options, port, admissions, patience, maxHeaderBytes: MAX_HEADER_BYTES }),
  );
  return {
    port,
    origin,
    admit: (run, token) => admissions.admit(run, token),
    get requests() {
      return admissions.requests;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Those that Node's parser has let go are in no list of Node's.
        for (const socket of open) socket.destroy();
      }),
  };
}

function createHttpServer(patience: Patience): HttpServer {
  return createServer({
    IncomingMessage: Request,
    ServerResponse: Response,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: patience.idleMs,
    // A missing Host is the guard's to refuse, as any other that is not ours.
    requireHostHeader: false,
    headersTimeout: patience.headMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: patience.checkMs,
  });
}

function bind(server: HttpServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(port, error)));
    server.listen(port, "127.0.0.1", BACKLOG, () => resolve((server.address() as AddressInfo).port));
  });
}

function cannotListen(port: number, cause: NodeJS.ErrnoException): TapedeckError {
  const why = cause.code === "EADDRINUSE" ? localize("another program uses it") : cause.message;
  return createTapedeckError(
    "tapedeck_usage",
    localize("Tapedeck cannot listen on 127.0.0.1:{0}: {1}.", port, why),
    {
      hint: localize("Choose another port, or none to use a free port."),
      cause,
    },
  );
}
