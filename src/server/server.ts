import { createServer } from "node:http";
import { createServer as createSocketServer, type AddressInfo, type Socket } from "node:net";
import type { Engine } from "../core/engine.ts";
import { readAttribution, testOfCall } from "../core/attribution.ts";
import { isTapedeckError, refused, tapedeckError, type TapedeckError } from "../core/errors.ts";
import type { Run } from "../core/call.ts";
import { createAdmissions, type Admission, type Admissions, type Entered } from "./guard/admissions.ts";
import { cannotAnswer, createAddressReader, guardOf, wrongToken } from "./guard/guard.ts";
import type { Address, AddressReader, Guard } from "./guard/guard.ts";
import { createBodyRoom, type BodyRoom } from "./guard/body-room.ts";
import { limitConnections, type ConnectionLimits, type Connections } from "./guard/connection-limit.ts";
import { serveHttp2 } from "./http/http2.ts";
import { answerNoRequests } from "./http/no-request.ts";
import { closeIdle, type IdlePatience } from "./guard/idle-clients.ts";
import { createLoopTurns, type LoopTurns } from "./http/loop-turns.ts";
import { readRequestBody, type BodyReceiver } from "./http/request-body.ts";
import { LINGER_MS } from "./http/raw-refusal.ts";
import { Request, KEEP_ALIVE_MS, Response, type HttpServer } from "./http/node-messages.ts";
import { GUARD, hearGuard, type GuardNote, unrecordedNote } from "./guard-notes.ts";
import { hearMock, MOCK, type OnMock } from "./mock-requests.ts";
import { takeTunnels, type Tunnels } from "./guard/tunnels.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import { readRunnerProcess, TESTS_BEGAN, type RunnerProcess } from "./runner-process.ts";
import { PROOF, proofFor } from "./guard/proof.ts";
import { sendAnswer, sendRefusal } from "./http/send-reply.ts";
import { SocketCall } from "./http/socket-call.ts";

/** The replay server: HTTP in, engine, HTTP out. It knows neither recordings nor modes. */
export interface ReplayServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Admits a run under a token: a fresh one of 192 random bits where none is given. */
  admit(run: Run, token?: string): Admission;
  /** Requests that were let in, ever. */
  readonly requests: number;
  /** Also answers at a Unix socket of this path, as at its port. */
  listenAt(path: string): Promise<void>;
  /** Ends the calls under way and frees the port. */
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly engine: Engine;
  /** A free port where none is given. */
  readonly port?: number;
  /** Workspace folders: a test's file counts only inside one of them. Absolute. */
  readonly roots?: readonly string[];
  /** Told of requests that were not let in: the rule, nothing of the request. */
  readonly onRefusal?: (error: TapedeckError) => void;
  /** Told of processes with our hooks in which tests began to run. Such a message counts as no request. */
  readonly onTests?: (runner: RunnerProcess) => void;
  /** Told besides of those that run on a Node in which the hooks do not work. */
  readonly onOldNode?: (runner: RunnerProcess) => void;
  /** Told of what hooks say of their processes, which counts as no request. */
  readonly onGuard?: (note: GuardNote) => void;
  /** Told of what tests ask of their run's mocks, which counts as no request; gives the JSON that is answered. */
  readonly onMock?: OnMock;
  /** Those to whose hosts connections may be redirected; none where absent. */
  readonly providers?: ProviderTable;
  /** How long clients may take. */
  readonly patience?: Partial<Patience>;
  /** How much there may be at once. */
  readonly limits?: Partial<ServerLimits>;
}

/** Default: 60 s for the head of a request, 300 s for all of it, and 65 s between two. */
export interface Patience extends IdlePatience {
  readonly headMs: number;
  /** At least `headMs`. */
  readonly requestMs: number;
}

const PATIENCE: Patience = { headMs: 60_000, requestMs: 300_000, idleMs: KEEP_ALIVE_MS, checkMs: 10_000 };

export interface ServerLimits extends ConnectionLimits {
  /** Bodies of more than 1 MiB of all requests under way together; those beyond it wait. */
  readonly bodyBytes: number;
}

const LIMITS: ServerLimits = {
  strangers: 256,
  momentMs: 5_000,
  newcomers: 2_048,
  clients: 2_048,
  bodyBytes: 128 * 1_048_576,
};

/** Connections that wait to be accepted: as many as the system allows, which a suite opens at once. */
const BACKLOG = 4_096;
/** Attribution needs up to 3 KiB beside what a client sends. */
const MAX_HEADER_BYTES = 32 * 1024;

/** Listens on 127.0.0.1. @throws TapedeckError `tapedeck_usage` where the port is taken or not allowed. */
export async function listen(options: ListenOptions): Promise<ReplayServer> {
  const patience = { ...PATIENCE, ...options.patience };
  const limits = { ...LIMITS, ...options.limits };
  const parts: { admissions?: Admissions; guard?: Guard; port?: number } = {};
  const addresses = createAddressReader();
  const turns = createLoopTurns();
  const room = createBodyRoom(limits.bodyBytes);
  const server = createHttpServer(patience);
  const connections = limitConnections(server, { ...options, limits });
  const tunnels = takeTunnels(server, connections, { ...options, admissions: () => madeAdmissions(parts) });
  const take = (request: Request, response: Response): void => {
    const { admissions, guard, port } = parts;
    if (admissions === undefined || guard === undefined || port === undefined) return;
    const here = { port, guard, addresses, admissions, connections, tunnels, room, turns, options };
    handle({ request, response, ...here });
  };
  server.on("request", take);
  // Whoever waits for leave to send a body is given it, or is refused before.
  server.on("checkContinue", take);
  const http2 = serveHttp2(patience, (stream, socket) => {
    tunnels.extend(socket, stream);
    connections.extend(socket as Socket, stream as Socket);
    server.emit("connection", stream);
  });
  answerNoRequests(server, {
    ...options,
    http2,
    maxHeaderBytes: MAX_HEADER_BYTES,
    onTls: (socket) => tunnels.tellTls(socket),
  });
  const port = await bind(server, options.port ?? 0);
  closeIdle(server, connections.open, patience);
  const origin = `http://127.0.0.1:${port}`;
  const admissions = createAdmissions(origin);
  Object.assign(parts, { admissions, port, guard: guardOf(port) });
  return {
    port,
    origin,
    admit: (run, token) => admissions.admit(run, token),
    get requests() {
      return admissions.requests;
    },
    listenAt: (path) => listenAt(path, server),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Those that Node's parser has let go are in no list of Node's.
        for (const socket of connections.open) socket.destroy();
      }),
  };
}

function createHttpServer(patience: Patience): HttpServer {
  return createServer({
    IncomingMessage: Request,
    ServerResponse: Response,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: 0,
    // A missing Host is the guard's to refuse, as any other that is not ours.
    requireHostHeader: false,
    headersTimeout: patience.headMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: patience.checkMs,
  });
}

function madeAdmissions({ admissions }: { readonly admissions?: Admissions }): Admissions {
  if (admissions === undefined) throw new Error("a connection came before the server listened");
  return admissions;
}

function bind(server: HttpServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(cannotListen(port, error)));
    server.listen(port, "127.0.0.1", BACKLOG, () => resolve((server.address() as AddressInfo).port));
  });
}

/** For as long as `server` is open. */
function listenAt(path: string, server: HttpServer): Promise<void> {
  const beside = createSocketServer({ allowHalfOpen: true }, (socket) => server.emit("connection", socket));
  server.once("close", () => beside.close());
  return new Promise((resolve, reject) => {
    beside.once("error", reject);
    beside.listen(path, BACKLOG, resolve);
  });
}

function cannotListen(port: number, cause: NodeJS.ErrnoException): TapedeckError {
  const why = cause.code === "EADDRINUSE" ? "it is taken by another program" : cause.message;
  return tapedeckError("tapedeck_usage", `Tapedeck cannot listen on 127.0.0.1:${port}: ${why}.`, {
    hint: "Name another port, or none for a free one.",
    cause,
  });
}

interface Incoming {
  readonly request: Request;
  readonly response: Response;
  readonly port: number;
  readonly guard: Guard;
  readonly addresses: AddressReader;
  readonly turns: LoopTurns;
  readonly admissions: Admissions;
  readonly connections: Connections;
  readonly tunnels: Tunnels;
  readonly room: BodyRoom;
  readonly options: ListenOptions;
}

function handle(incoming: Incoming): void {
  const admitted = admit(incoming);
  if (admitted === undefined) return;
  const { request, response } = incoming;
  if (request.head.expect?.toLowerCase() === "100-continue") response.writeContinue();
  readRequestBody(incoming, admitted);
}

/** The request where it may go on; undefined where it may not, which it was told by then. */
function admit(incoming: Incoming): LetIn | undefined {
  const { request, guard, addresses, admissions, connections } = incoming;
  const { url = "", head } = request;
  const redirected = incoming.tunnels.address(request);
  if (redirected !== undefined) return admitRedirected(incoming, redirected);
  const barred = guard(head);
  if (barred !== undefined) return turnedAway(incoming, barred);
  const address = addresses.read(url);
  if (address?.token === PROOF) return prove(incoming, address);
  if (address?.provider === TESTS_BEGAN) return hearTests(incoming, address);
  if (address?.provider === GUARD) return hearHooks(incoming, address);
  const { onMock } = incoming.options;
  if (address?.provider === MOCK && onMock !== undefined) return hearTest(incoming, address, onMock);
  const entered = address && enteredBy(address, admissions);
  if (address === undefined || entered === undefined) return turnedAway(incoming, wrongToken());
  connections.trust(request.socket);
  if (address.provider === "") {
    const hint = "The address goes on with a provider: /TOKEN/openai/v1/chat/completions.";
    return turnedAway(incoming, refused("its address names no provider.", hint, 404));
  }
  addresses.remember(url, address, entered);
  return letIn(incoming, address, entered.run);
}

function letIn(incoming: Incoming, address: Address, run: Run): LetIn | undefined {
  const { request, options } = incoming;
  const unfit = cannotAnswer(address, request.head);
  if (unfit === undefined) return new LetIn(incoming, address, run);
  const note = unrecordedNote({ request, address, run, roots: options.roots ?? [] });
  if (note !== undefined) options.onGuard?.(note);
  return turnedAway(incoming, unfit, address.provider);
}

/** The token was shown when the connection began; Host and path are the provider's own. */
function admitRedirected(incoming: Incoming, address: Address | "unknown"): LetIn | undefined {
  const entered = address === "unknown" ? undefined : incoming.admissions.enter(address.token);
  if (address === "unknown" || entered === undefined) return turnedAway(incoming, wrongToken());
  return letIn(incoming, address, entered.run);
}

function turnedAway(incoming: Incoming, error: TapedeckError, provider?: string): undefined {
  refuse(incoming, provider, error);
  return undefined;
}

/** A token that was revoked may be admitted again, for another run. */
function enteredBy({ token, entered }: Address, admissions: Admissions): Entered | undefined {
  return (entered && admissions.enterAgain(entered)) ?? admissions.enter(token);
}

/** A request that may go on. It is answered once its body is there. */
class LetIn implements BodyReceiver {
  readonly #incoming: Incoming;
  readonly #address: Address;
  readonly #run: Run;

  constructor(incoming: Incoming, address: Address, run: Run) {
    this.#incoming = incoming;
    this.#address = address;
    this.#run = run;
  }

  whole(body: Uint8Array): void {
    void this.#answer(body);
  }

  failed(error: unknown): void {
    if (isTapedeckError(error)) refuse(this.#incoming, this.#address.provider, error);
    else this.#incoming.response.destroy();
  }

  async #answer(body: Uint8Array): Promise<void> {
    const { request, response, turns, options } = this.#incoming;
    try {
      const [address, run] = [this.#address, this.#run];
      const test = testOfCall(readAttribution(request.head.attribution, options.roots ?? []), run.test);
      const call = new SocketCall(request, response, { address, body, run, test });
      const turn = turns.now();
      const answered = await options.engine.answer(call);
      const streaming = sendAnswer(response, answered, turn === turns.now());
      if (streaming !== undefined) await streaming;
    } catch (error) {
      this.failed(error);
    }
  }
}

/** No call, whatever becomes of it. */
function hearTests(incoming: Incoming, { token, path }: Address): undefined {
  const { request, response, options } = incoming;
  const run = runOf(incoming, token);
  if (run === undefined) return undefined;
  const told = request.method === "GET" ? readRunnerProcess(path, response, run) : undefined;
  if (told?.oldNode !== undefined) options.onOldNode?.(told);
  if (told === undefined || options.onTests === undefined) response.writeHead(204).end();
  else options.onTests(told);
  return undefined;
}

function hearHooks(incoming: Incoming, { token, path }: Address): undefined {
  const run = runOf(incoming, token);
  if (run === undefined) return undefined;
  const { onGuard, roots = [] } = incoming.options;
  const note = hearGuard(incoming, { path, run, roots });
  if (note !== undefined) onGuard?.(note);
  return undefined;
}

function hearTest(incoming: Incoming, { token, path }: Address, onMock: OnMock): undefined {
  const run = runOf(incoming, token);
  if (run !== undefined) hearMock(incoming, { run, path, onMock }, (error) => turnedAway(incoming, error));
  return undefined;
}

/** The run of a request that is no call; one without a run is turned away. */
function runOf(incoming: Incoming, token: string): Run | undefined {
  const { request, admissions, connections } = incoming;
  const run = admissions.runOf(token);
  if (run === undefined) return turnedAway(incoming, wrongToken());
  connections.trust(request.socket);
  return run;
}

/** No call either: the hooks ask it before their first. Where a name stands else, the token's stands here. */
function prove(incoming: Incoming, { provider: id, path }: Address): undefined {
  const { request, response, admissions } = incoming;
  const named = admissions.named(id);
  const proof = named === undefined ? undefined : proofFor(named, incoming.port, path);
  if (proof === undefined || request.method !== "GET") return turnedAway(incoming, wrongToken());
  response.writeHead(200, { "content-type": "text/plain", "content-length": proof.length }).end(proof);
  return undefined;
}

function refuse(
  { request, response, options }: Incoming,
  provider: string | undefined,
  error: TapedeckError,
): void {
  options.onRefusal?.(error);
  if (response.headersSent || response.destroyed) return;
  const unread = !request.complete;
  // What is left of the request is not read, however large it is.
  if (unread) response.setHeader("connection", "close");
  sendRefusal(response, options.engine.refuse(provider, error));
  if (unread) response.once("finish", () => setTimeout(() => request.destroy(), LINGER_MS).unref());
}
