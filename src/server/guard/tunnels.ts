import { localize, formatOption } from "../../core/base/localize.ts";
import type { Duplex } from "node:stream";
import type { Engine } from "../../core/answer/engine.ts";
import { createBadRequest, createRefusal, type TapedeckError } from "../../core/base/errors.ts";
import {
  isGuarded,
  findRoute,
  routeByHost,
  readDestination,
  type Destination,
} from "../../core/protocol/origin.ts";
import type { ProviderTable } from "../../core/protocol/registry.ts";
import { endWith, writeRawRefusal } from "../http/raw-refusal.ts";
import type { Request, HttpServer } from "../http/messages.ts";
import { createWrongToken, type RequestAddress, type Admissions } from "./guard.ts";
import { createTlsNote, type GuardNote } from "../guard-notes.ts";

/*
 * The hooks redirect connections to providers here. The first words on one are a CONNECT with the run's token; what
 * comes after it is the client's own HTTP/1.1 in the clear, which this server answers as its own.
 */
export interface TunnelOptions {
  readonly engine: Pick<Engine, "refuse">;
  /** Those whose hosts may be asked for; none where absent. */
  readonly providers?: ProviderTable;
  readonly onRefusal?: (error: TapedeckError) => void;
  readonly onGuard?: (note: GuardNote) => void;
  readonly admissions: Admissions;
}

export type Tunnels = ReturnType<typeof takeTunnels>;

/** A connection, and whose it is. */
export interface Tunnel {
  readonly token: string;
  readonly destination: Destination;
  /** Protocol of the client: set by the proxy, and by the hooks if the host belongs to no known provider. */
  readonly scheme?: "http" | "https";
}

/** With it the hooks open a tunnel to a host of no known provider, over which they send a call to a model. */
const SCHEME = "tapedeck-scheme";

export function takeTunnels(
  server: HttpServer,
  { engine, providers, onRefusal, onGuard, admissions }: TunnelOptions,
) {
  const tunnels = new WeakMap<Duplex, Tunnel>();
  const turnAway = (socket: Duplex, error: TapedeckError, status: string): void => {
    onRefusal?.(error);
    endWith(socket, writeRawRefusal(engine.refuse(undefined, error), status));
  };
  server.on("connect", (request: Request, socket: Duplex, head: Buffer) => {
    const { url = "" } = request;
    const token = tokenOf(request);
    if (token === undefined) return turnAway(socket, noProxy(url), "400 Bad Request");
    if (admissions.runOf(token) === undefined)
      return turnAway(socket, createWrongToken(), "407 Proxy Authentication Required");
    const destination = readDestination(url);
    const scheme = schemeOf(request);
    const isKnown = providers !== undefined && destination !== undefined && isGuarded(destination, providers);
    if (destination === undefined || (!isKnown && scheme === undefined))
      return turnAway(socket, unknownHost(url), "403 Forbidden");
    tunnels.set(socket, { token, destination, ...(!isKnown && scheme && { scheme }) });
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) socket.unshift(head);
    server.emit("connection", socket);
  });
  return {
    /** By the connections that were redirected. */
    open: tunnels,
    /** `stream` is a part of `socket`. */
    extend(socket: Duplex, stream: Duplex): void {
      const tunnel = tunnels.get(socket);
      if (tunnel !== undefined) tunnels.set(stream, tunnel);
    },
    /** Notes a connection whose client begins with TLS, and was refused for that. */
    noteTls(socket: Duplex, error: TapedeckError): void {
      const tunnel = tunnels.get(socket);
      const run = tunnel === undefined ? admissions.onlyRun : admissions.runOf(tunnel.token);
      if (run !== undefined) onGuard?.(createTlsNote(run, error, tunnel?.destination));
    },
    /** Returns the provider and path of a request over a tunnel. Undefined if the provider is no longer configured. */
    address({ token, destination, scheme }: Tunnel, url = "/"): RequestAddress | undefined {
      const path = pathOf(url);
      if (scheme !== undefined)
        return { token, ...routeByHost(destination, path, scheme === "http"), isModelsAlone: false };
      const meant = providers && findRoute(destination, path, providers);
      return meant && { token, ...meant };
    },
  };
}

function tokenOf(request: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headerOf(request, "proxy-authorization"))?.[1];
}

function schemeOf(request: Request): Tunnel["scheme"] {
  const scheme = headerOf(request, SCHEME);
  return scheme === "http" || scheme === "https" ? scheme : undefined;
}

function headerOf({ rawHeaders }: Request, wantedName: string): string {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === wantedName);
  return at < 0 ? "" : (rawHeaders[at + 1] ?? "");
}

/** A client may say the whole address, as to a proxy. */
function pathOf(url: string): string {
  if (url.startsWith("/") || !URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function noProxy(url: string): TapedeckError {
  return createBadRequest(
    localize("it asks for a tunnel to {0}, but this is not a proxy.", url),
    localize("Set the base URL of the client (OPENAI_BASE_URL or the like), not its proxy."),
  );
}

function unknownHost(url: string): TapedeckError {
  return createRefusal(
    localize("it asks for a connection to {0}, which is not a known provider.", url),
    localize("Add the address with {0}.", formatOption("--upstream PROVIDER=URL", "tapedeck.upstreams")),
  );
}
