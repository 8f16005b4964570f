import { localize } from "../core/base/localize.ts";
import { isKeptElsewhere, readGroupPlace, findTestOfCall } from "../core/call/attribution.ts";
import { addReportedValues } from "../core/call/reported-values.ts";
import type { Call, GroupPlace, Run, TestRef, WireHeaders } from "../core/call/call.ts";
import type { Engine } from "../core/answer/engine.ts";
import { isTapedeckError, createRefusal } from "../core/base/errors.ts";
import { CACHED, receiveCacheNote, type OnCached } from "./cache-notes.ts";
import {
  explainCannotAnswer,
  createWrongToken,
  type RequestAddress,
  type Admissions,
  type Guard,
} from "./guard/guard.ts";
import { allowPreflight, isPreflight } from "./guard/pages.ts";
import { PROOF, createProof } from "./guard/proof.ts";
import type { Tunnel, Tunnels } from "./guard/tunnels.ts";
import { GUARD, receiveGuardNote } from "./guard-notes.ts";
import type { Head, Request, Response } from "./http/messages.ts";
import { readRequestBody } from "./http/messages.ts";
import { sendAnswer } from "./http/messages.ts";
import { receiveMockRequest, MOCK, type OnMock } from "./mock-requests.ts";
import { isModelCall, passThrough, type PassThroughOptions } from "./pass-through.ts";
import { noteRefusal, refuse, refuseRequest } from "./refusals.ts";
import type { SocketRequest } from "../core/call/socket.ts";
import { SESSION_STATUS } from "../core/call/transcript.ts";
import type { Upgrade } from "./sockets/take-socket.ts";
import { readRunnerProcess, TESTS_BEGAN, type RunnerProcess } from "./runner-process.ts";

/** How requests are handled, and the listeners for each kind. */
export interface IncomingOptions extends PassThroughOptions {
  readonly engine: Engine;
  /** Workspace folders: a test's file counts only inside one of them. Absolute. */
  readonly roots?: readonly string[];
  /** The absolute cassette folder, for the fixtures of tests. */
  readonly dir?: string;
  /** Called when tests begin in a process with the hooks. This is not counted as a request. */
  readonly onTests?: (runner: RunnerProcess) => void;
  /** Called when a test uses its run's mocks. Returns the JSON of the reply. This is not counted as a request. */
  readonly onMock?: OnMock;
  /** Called for calls that MetaGPT's own cache answered. They are counted as requests. */
  readonly onCached?: OnCached;
}

/** The state that all requests of a server share. */
interface ListenerParts {
  readonly port: number;
  readonly guard: Guard;
  readonly admissions: Admissions;
  readonly tunnels: Tunnels;
  readonly options: IncomingOptions;
}

interface IncomingRequest extends ListenerParts {
  readonly request: Request;
  readonly response: Response;
  /** Present if the client asks for a WebSocket. */
  readonly upgraded?: Upgrade;
}

/** Answers requests, or turns them away. */
export function createHandler(
  listening: ListenerParts,
): (request: Request, response: Response, upgraded?: Upgrade) => void {
  return (request, response, upgraded) =>
    handle({ request, response, ...(upgraded && { upgraded }), ...listening });
}

function handle(incoming: IncomingRequest): void {
  const admitted = admit(incoming);
  if (admitted === undefined) return;
  const { request, response } = incoming;
  if (request.head.expect?.toLowerCase() === "100-continue") response.writeContinue();
  void answer(incoming, admitted);
}

/** Returns a request that may continue. Undefined if it was refused; the refusal has been sent. */
function admit(incoming: IncomingRequest): AdmittedRequest | undefined {
  const { request, guard, admissions } = incoming;
  const { url = "", head, socket } = request;
  const tunnel = incoming.tunnels.open.get(socket);
  if (tunnel !== undefined) return admitRedirected(incoming, tunnel);
  const address = admissions.read(url);
  const barred = guard(head);
  if (barred !== undefined) return refuseRequest(incoming, barred, address);
  const isOfPage = head.origin !== undefined && admissions.runOf(address?.token ?? "") !== undefined;
  if (isOfPage && isAnsweredPreflight(incoming)) return undefined;
  if (address?.token === PROOF) return prove(incoming, address);
  if (address?.provider === TESTS_BEGAN) return receiveTests(incoming, address);
  if (address?.provider === GUARD) return receiveHookNote(incoming, address);
  const { onMock, onCached } = incoming.options;
  if (address?.provider === MOCK && onMock !== undefined) return receiveMock(incoming, address, onMock);
  if (address?.provider === CACHED && onCached !== undefined)
    return receiveCached(incoming, address, onCached);
  const run = address && admissions.enter(address);
  if (address === undefined || run === undefined) return refuseRequest(incoming, createWrongToken());
  if (address.provider === "") {
    const hint = localize("Add a provider to the address: /TOKEN/openai/v1/chat/completions.");
    return refuseRequest(
      incoming,
      createRefusal(localize("its address has no provider."), hint, 404),
      address,
    );
  }
  return admitToRun(incoming, address, run);
}

function admitToRun(
  incoming: IncomingRequest,
  address: RequestAddress,
  run: Run,
): AdmittedRequest | undefined {
  const unfit = explainCannotAnswer(address, incoming.request.head);
  return unfit === undefined ? { address, run } : refuseRequest(incoming, unfit, address);
}

/** Has the reply be read by the page that asks; true for a preflight, which is answered with that. */
function isAnsweredPreflight({ request, response }: IncomingRequest): boolean {
  if (isPreflight(request)) {
    allowPreflight(request, response);
    return true;
  }
  response.page = request.head.origin;
  return false;
}

/** The token was shown when the connection began; Host and path are the provider's own. */
function admitRedirected(incoming: IncomingRequest, tunnel: Tunnel): AdmittedRequest | undefined {
  const { request, tunnels, admissions } = incoming;
  const address = tunnels.address(tunnel, request.url);
  const run = address && admissions.enter(address);
  if (address === undefined || run === undefined) return refuseRequest(incoming, createWrongToken());
  if (request.head.origin !== undefined && isAnsweredPreflight(incoming)) return undefined;
  return admitToRun(incoming, address, run);
}

interface AdmittedRequest {
  readonly address: RequestAddress;
  readonly run: Run;
}

async function answer(incoming: IncomingRequest, { address, run }: AdmittedRequest): Promise<void> {
  const { request, response, options, upgraded } = incoming;
  try {
    if (upgraded !== undefined) return await answerSocket(incoming, upgraded, { address, run });
    const body = await readRequestBody(request);
    const call = callOf(incoming, { address, run }, body);
    if (address.isModelsAlone === false && !isModelCall(call)) return await passThrough(incoming, call);
    await sendAnswer(response, await options.engine.answer(call));
  } catch (error) {
    if (!isTapedeckError(error)) return void response.destroy();
    noteRefusal(incoming, { address, run }, error);
    refuse(incoming, address.provider, error);
  }
}

function callOf(
  { request, response, options }: IncomingRequest,
  { address, run }: AdmittedRequest,
  body: Uint8Array,
  socket?: SocketRequest,
): SocketCall {
  const { attribution } = request.head;
  addValuesOf(request, run);
  return new SocketCall(request, response, {
    address,
    body,
    run,
    test: attribution === undefined ? run.test : findTestOfCall(attribution, options.roots ?? [], run.test),
    kept: attribution !== undefined && isKeptElsewhere(attribution),
    groupPlace: attribution === undefined ? undefined : readGroupPlace(attribution),
    socket,
  });
}

function addValuesOf({ head: { attribution } }: Request, run: Run): void {
  if (attribution?.includes(";v=") === true) addReportedValues(attribution, run);
}

/** Answers a client that asks for a WebSocket. The modules for it are loaded with the first one. */
async function answerSocket(
  incoming: IncomingRequest,
  upgraded: Upgrade,
  admitted: AdmittedRequest,
): Promise<void> {
  const { request, response, options } = incoming;
  const { takeSocket } = await import("./sockets/sockets.ts");
  const call = callOf(incoming, admitted, new Uint8Array(), takeSocket(request, response, upgraded));
  const answered = await options.engine.answer(call);
  if (answered.reply.status !== SESSION_STATUS) await sendAnswer(response, answered);
}

/** Handles a request that is not a call; refuses it if it fails. */
async function answerOther(incoming: IncomingRequest, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (isTapedeckError(error)) refuseRequest(incoming, error);
    else incoming.response.destroy();
  }
}

/** No call, whatever becomes of it. */
function receiveTests(incoming: IncomingRequest, { token, path }: RequestAddress): undefined {
  const { request, response, options } = incoming;
  const run = runOf(incoming, token);
  if (run === undefined) return undefined;
  const runner = request.method === "GET" ? readRunnerProcess(path, response, run) : undefined;
  if (runner !== undefined) options.onGuard?.({ kind: "tests", run, runner: runner.runner });
  if (runner === undefined || options.onTests === undefined) response.writeHead(204).end();
  else options.onTests(runner);
  return undefined;
}

function receiveHookNote(incoming: IncomingRequest, { token, path }: RequestAddress): undefined {
  const run = runOf(incoming, token);
  if (run === undefined) return undefined;
  const { onGuard, roots = [], dir } = incoming.options;
  addValuesOf(incoming.request, run);
  const note = receiveGuardNote(incoming, { path, run, roots, dir });
  if (note !== undefined) onGuard?.(note);
  return undefined;
}

function receiveMock(incoming: IncomingRequest, { token, path }: RequestAddress, onMock: OnMock): undefined {
  const run = runOf(incoming, token);
  if (run !== undefined)
    void answerOther(incoming, () => receiveMockRequest(incoming, { run, path, onMock }));
  return undefined;
}

function receiveCached(incoming: IncomingRequest, address: RequestAddress, onCached: OnCached): undefined {
  const run = incoming.admissions.enter(address);
  if (run === undefined) return refuseRequest(incoming, createWrongToken());
  const { roots = [] } = incoming.options;
  void answerOther(incoming, () => receiveCacheNote(incoming, { run, roots, onCached }));
  return undefined;
}

/** The run of a request that is no call; one without a run is turned away. */
function runOf(incoming: IncomingRequest, token: string): Run | undefined {
  const run = incoming.admissions.runOf(token);
  return run ?? refuseRequest(incoming, createWrongToken());
}

/** Answers the challenge that the hooks send before their first call. The address has the token's id where a provider would be. */
function prove(incoming: IncomingRequest, { provider: id, path }: RequestAddress): undefined {
  const { request, response, admissions, options } = incoming;
  const named = admissions.named(id);
  const proof = named === undefined ? undefined : createProof(named, incoming.port, path);
  const run = named === undefined ? undefined : admissions.runOf(named);
  if (proof === undefined || run === undefined || request.method !== "GET")
    return refuseRequest(incoming, createWrongToken());
  // On a busy machine, the process may end before it receives the reply.
  options.onGuard?.({ kind: "hello", run });
  response.writeHead(200, { "content-type": "text/plain", "content-length": proof.length }).end(proof);
  return undefined;
}

/** The parts of a call other than its socket. */
interface CallParts {
  readonly address: RequestAddress;
  readonly body: Uint8Array;
  readonly run: Run;
  readonly test: TestRef | undefined;
  readonly groupPlace: GroupPlace | undefined;
  readonly kept: boolean;
  readonly socket: SocketRequest | undefined;
}

/** A call that lives as long as its socket. A class, because some of it is made only when something asks for it. */
class SocketCall implements Call {
  readonly provider: string;
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly run: Run;
  readonly token: string;
  declare readonly origin?: string;
  declare readonly test?: TestRef;
  declare readonly groupPlace?: GroupPlace;
  declare readonly cassette?: string;
  declare readonly isKeptElsewhere?: true;
  declare readonly socket?: SocketRequest;
  readonly #response: Response;
  readonly #head: Head;
  #gone: AbortController | undefined;

  constructor(request: Request, response: Response, parts: CallParts) {
    this.provider = parts.address.provider;
    this.method = request.method ?? "GET";
    this.path = parts.address.path;
    this.contentType = request.head.contentType ?? "";
    this.body = parts.body;
    this.run = parts.run;
    this.token = parts.address.token;
    if (parts.address.origin !== undefined) this.origin = parts.address.origin;
    if (parts.test !== undefined) this.test = parts.test;
    if (parts.groupPlace !== undefined) this.groupPlace = parts.groupPlace;
    if (request.head.cassette) this.cassette = request.head.cassette;
    if (parts.kept) this.isKeptElsewhere = true;
    if (parts.socket !== undefined) this.socket = parts.socket;
    this.#response = response;
    this.#head = request.head;
  }

  get headers(): WireHeaders {
    const { headers } = this.#head;
    return this.socket === undefined ? headers : headers.filter(([name]) => !HANDSHAKE.test(name));
  }

  get base(): string {
    return this.origin ?? `http://${this.#head.host ?? ""}/${this.token}/${this.provider}`;
  }

  /** A replay never asks for it. */
  get signal(): AbortSignal {
    this.#gone ??= abortedWhenLeft(this.#response);
    return this.#gone.signal;
  }
}

/** Headers of a WebSocket's handshake. They belong to one connection. */
const HANDSHAKE = /^(?:connection|upgrade|sec-websocket-.*)$/;

function abortedWhenLeft(response: Response): AbortController {
  const controller = new AbortController();
  const leave = (): void => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.destroyed) leave();
  response.once("close", leave);
  return controller;
}
