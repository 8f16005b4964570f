import { localize } from "../../core/base/localize.ts";
import { timingSafeEqual } from "node:crypto";
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { getProxyForUrl } from "proxy-from-env";
import { explain } from "../../core/base/errors.ts";
import { isModelRequest, mayBeModelHost } from "../../core/protocol/model-call.ts";
import { MODEL_API_HOSTS } from "../../core/protocol/model-hosts.ts";
import { isAmongHosts, isGuarded, readDestination, type Destination } from "../../core/protocol/origin.ts";
import type { ProviderTable } from "../../core/protocol/registry.ts";
import { createAuthority, type Authority } from "./authority.ts";
import { watchTrust, type TrustByHost } from "./trust.ts";
import {
  connectOnward,
  connectToDeck,
  dialProxy,
  isOfSameUser,
  type ProxyConnection,
  type NextProxy,
} from "./onward.ts";
import type { Tunnel } from "../guard/tunnels.ts";
import type { LeftNote } from "../guard-notes.ts";

export interface ProxyOptions {
  /** The replay server's port, which can change. */
  readonly port: () => number;
  /** The token of the run that receives calls without a token. */
  readonly token: string;
  /** Only connections to their hosts are opened. */
  readonly providers: () => ProviderTable;
  /** The user's own proxy for a host. Default: the proxy that the environment variables name. */
  readonly next?: NextProxy;
  /** Receives messages for the user, once per host. */
  readonly onNotice: (message: string) => void;
  /** Notified of connections and requests to other hosts that the proxy passes on or refuses. */
  readonly onLeft?: (left: LeftNote) => void;
  /** Whether the run blocks the network to a host. */
  readonly isBlocked?: (destination: Destination) => boolean;
}

export type Proxy = Awaited<ReturnType<typeof listenAsProxy>>;

interface Parts extends Required<ProxyOptions> {
  readonly authority: Authority;
  readonly sockets: Set<Duplex>;
  /** Those that let in. */
  readonly tokens: Set<string>;
  readonly trust: TrustByHost;
}

/**
 * A proxy for the processes of runs. Calls to providers are answered here, and so are calls to models that other hosts are
 * asked over HTTP in the clear. All else is passed on; TLS to other hosts cannot be read.
 */
export async function listenAsProxy(options: ProxyOptions) {
  const warnedAbout = new Set<string>();
  const parts: Parts = {
    next: ownProxy,
    onLeft: () => {},
    isBlocked: () => false,
    ...options,
    authority: await createAuthority(),
    sockets: new Set(),
    tokens: new Set([options.token]),
    trust: new Map(),
    onNotice(message) {
      if (!warnedAbout.has(message)) options.onNotice(message);
      warnedAbout.add(message);
    },
  };
  const server = createServer((request, response) => void passOn(request, response, parts));
  server.on("connect", (request, socket, head) => void tunnel(request, socket, head, parts));
  server.on("connection", (socket) => keep(socket, parts));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** `http://tapedeck:TOKEN@127.0.0.1:PORT`: lets those in who name the token, and gives their calls to its run. */
    urlFor(token: string): string {
      parts.tokens.add(token);
      return `http://tapedeck:${token}@127.0.0.1:${port}`;
    },
    /** Of the authority that its clients have to trust, as PEM. */
    certificate: parts.authority.certificate,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of parts.sockets) socket.destroy();
      }),
  };
}

/** As HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY of this process have it. */
function ownProxy({ host, port }: Destination): string | undefined {
  return getProxyForUrl(`${port === 443 ? "https" : "http"}://${host}:${port}`) || undefined;
}

function keep(socket: Duplex, { sockets }: Parts): void {
  sockets.add(socket);
  socket.on("error", () => socket.destroy());
  socket.on("close", () => sockets.delete(socket));
}

/**
 * The token of who is let in: the one that is named; of Java's clients and others that name none and are of the same
 * user, the proxy's own.
 */
function identifyRun({ headers, socket }: IncomingMessage, { token, tokens }: Parts): string | undefined {
  const [, encoded] = /^Basic +(\S+)$/i.exec(headers["proxy-authorization"] ?? "") ?? [];
  if (encoded === undefined) return isOfSameUser(socket) ? token : undefined;
  const given = Buffer.from(encoded, "base64");
  return [...tokens].find((one) => {
    const expected = Buffer.from(`tapedeck:${one}`);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const NOT_LET_IN =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="tapedeck"\r\n';

async function tunnel(request: IncomingMessage, socket: Duplex, head: Buffer, parts: Parts): Promise<void> {
  const token = identifyRun(request, parts);
  if (token === undefined) return end(socket, NOT_LET_IN);
  const destination = readDestination(request.url ?? "");
  if (destination === undefined) return end(socket, "HTTP/1.1 400 Bad Request\r\n");
  try {
    if (!isGuarded(destination, parts.providers()) && !isAmongHosts(MODEL_API_HOSTS, destination))
      return await passTunnel({ socket, head }, { destination, token }, parts);
    socket.write(ESTABLISHED);
    const first = head.length > 0 ? head : await firstPiece(socket);
    if (first !== undefined) await answerAsHost(socket, first, { destination, token }, parts);
  } catch (error) {
    end(
      socket,
      "HTTP/1.1 502 Bad Gateway\r\n",
      localize("{0} cannot be reached: {1}.", destination.host, explain(error)),
    );
  }
}

/** Passes a connection to any other host on, but answers calls to models that are made over it in the clear. */
async function passTunnel(
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  target: Tunnel,
  parts: Parts,
): Promise<void> {
  const { destination } = target;
  const isHere = !mayBeModelHost(destination.host);
  const isRefused = !isHere && parts.isBlocked(destination);
  const isForTls = destination.port === 443;
  const note = (): void => parts.onLeft({ host: shownHost(destination), isRefused, isUnread: !isRefused });
  if (isRefused && isForTls) {
    note();
    return end(socket, "HTTP/1.1 403 Forbidden\r\n", blockedText(destination));
  }
  // A recorded call is answered even if its host is out of reach.
  const onUnreachable = (error: unknown): undefined => {
    if (isHere || isForTls) throw error;
  };
  const onward = isRefused
    ? undefined
    : await connectOnward(destination, parts.next(destination)).catch(onUnreachable);
  if (onward !== undefined) keep(onward, parts);
  socket.write(ESTABLISHED);
  if (isHere && onward !== undefined) return join(socket, onward, head);
  onward?.pipe(socket, { end: false }); // some servers speak first
  const first = head.length > 0 ? head : await firstPiece(socket);
  onward?.unpipe(socket);
  if (first !== undefined && REQUEST_LINE.test(first.toString("latin1", 0, LONGEST_LINE))) {
    onward?.destroy();
    return answerAsHost(socket, first, target, parts);
  }
  note();
  if (onward !== undefined && first !== undefined) return join(socket, onward, first);
  socket.destroy();
  onward?.destroy();
}

const REQUEST_LINE = /^[A-Z]+ \/\S* HTTP\/1|^PRI \* HTTP\/2/;
const LONGEST_LINE = 8_192;

/** As the hooks report a host: without the usual ports. */
function shownHost({ host, port }: Destination): string {
  return port === 443 || port === 80 ? host : `${host}:${port}`;
}

function blockedText({ host }: Destination): string {
  return localize(
    'Tapedeck refused a connection to {0}: this run blocks the network (--block-network). If tests need that host, add it to "allowHosts" in tapedeck.jsonc.',
    host,
  );
}

const ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n";
/** How TLS begins: a record of a handshake. */
const HANDSHAKE = 0x16;

/** Stands for a provider's host: what comes over the connection is the replay server's to answer. */
async function answerAsHost(socket: Duplex, first: Buffer, target: Tunnel, parts: Parts): Promise<void> {
  const { destination } = target;
  socket.unshift(first);
  if (first[0] !== HANDSHAKE) return join(socket, await toDeck({ ...target, scheme: "http" }, parts));
  const secure = new TLSSocket(socket, {
    isServer: true,
    secureContext: await parts.authority.contextFor(destination.host),
    SNICallback: (name, done) => {
      void callWith(parts.authority.contextFor(name.toLowerCase() || destination.host), done);
    },
    ALPNProtocols: ["h2", "http/1.1"],
  });
  keep(secure, parts);
  const prove = watchTrust(secure, destination.host, parts);
  secure.once("secure", () => {
    const waitForAnswer = async (): Promise<void> => {
      try {
        const deck = await toDeck(target, parts);
        secure.once("data", prove);
        join(secure, deck);
      } catch {
        secure.destroy();
      }
    };
    void waitForAnswer();
  });
}

/** Adapts a promise to Node's callback convention. */
async function callWith<T>(made: Promise<T>, done: (error: Error | null, value?: T) => void): Promise<void> {
  try {
    done(null, await made);
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
  }
}

async function toDeck({ destination, token, scheme = "https" }: Tunnel, parts: Parts): Promise<Socket> {
  const deck = await connectToDeck(parts.port(), token, { destination, scheme });
  keep(deck, parts);
  return deck;
}

/** The first bytes of a connection; undefined where none come. */
async function firstPiece(socket: Duplex): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    socket.once("data", (piece: Buffer) => {
      socket.pause();
      resolve(piece);
    });
    socket.once("close", () => resolve(undefined));
  });
}

function join(one: Duplex, other: Duplex, head?: Buffer): void {
  if (head !== undefined && head.length > 0) other.write(head);
  one.pipe(other).pipe(one);
  one.once("close", () => other.destroy());
  other.once("close", () => one.destroy());
}

function end(socket: Duplex, head: string, text = ""): void {
  const lines = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  socket.end(`${head}${lines}connection: close\r\n\r\n${text}`);
}

/** Forwards plain HTTP, whose request line has the whole address. */
async function passOn(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const { url = "", method = "GET", headers } = request;
  const refuse = (status: number, text: string, more: Record<string, string> = {}): void =>
    void response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...more }).end(text);
  const token = identifyRun(request, parts);
  if (token === undefined) return refuse(407, "", { "proxy-authenticate": 'Basic realm="tapedeck"' });
  if (!/^http:\/\//i.test(url) || !URL.canParse(url))
    return refuse(
      400,
      localize("This is a proxy. Set HTTP_PROXY or HTTPS_PROXY to it, as tapedeck run --proxy does."),
    );
  const address = new URL(url);
  const destination = { host: address.hostname, port: Number(address.port || 80) };
  try {
    const isRead =
      isGuarded(destination, parts.providers()) ||
      (isModelRequest(method, address.pathname + address.search) && mayBeModelHost(destination.host));
    if (!isRead && mayBeModelHost(destination.host)) {
      const isRefused = parts.isBlocked(destination);
      parts.onLeft({ host: shownHost(destination), isRefused });
      if (isRefused) return refuse(403, blockedText(destination));
    }
    const next = isRead ? undefined : parts.next(destination);
    const { socket, authorization } = await wayTo({ destination, token, isRead }, next, parts);
    keep(socket, parts);
    const { "proxy-authorization": _, "proxy-connection": __, ...kept } = headers;
    const onward = ask({
      createConnection: () => socket,
      method,
      path: next === undefined ? address.pathname + address.search : url,
      headers: {
        ...kept,
        connection: "close",
        ...(authorization !== undefined && { "proxy-authorization": authorization }),
      },
    });
    onward.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on("error", (error) => (response.headersSent ? response.destroy() : refuse(502, error.message)));
    response.on("close", () => socket.destroy());
    request.pipe(onward);
  } catch (error) {
    refuse(502, localize("{0} cannot be reached: {1}.", destination.host, explain(error)));
  }
}

/** Through a proxy of the user's, plain HTTP is asked for with its whole address. */
async function wayTo(
  { isRead, ...target }: Tunnel & { readonly isRead: boolean },
  next: string | undefined,
  parts: Parts,
): Promise<ProxyConnection> {
  if (next !== undefined) return dialProxy(next);
  const socket = isRead
    ? await toDeck({ ...target, scheme: "http" }, parts)
    : await connectOnward(target.destination, undefined);
  return { socket, authorization: undefined };
}
