import { localize, formatOption } from "../../core/base/localize.ts";
import http, { STATUS_CODES, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import type { Connect, OutgoingRequest } from "../../core/answer/source/source.ts";
import type { WireHeaders } from "../../core/call/call.ts";
import { isLoopback } from "../../core/protocol/upstream-address.ts";
import { explainUndecodable, removeContentEncoding } from "../http/content-encoding.ts";
import { checkInSpiteOf, findAgent, IDLE_MS } from "./proxy.ts";
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/**
 * Connects to a provider: TLS checked, no redirect followed, through the proxy that the environment names. Inside
 * VS Code the modules below it are the editor's own, which know its proxy settings.
 * The only module of the program that opens a connection; loaded when a mode first needs it.
 */
export const connect: Connect = async (outgoing) => {
  const response = await send(outgoing);
  const { "content-encoding": encoding } = response.headers;
  const undecoded = explainUndecodable(encoding);
  const hasBody = outgoing.method !== "HEAD" && response.statusCode !== 204 && response.statusCode !== 304;
  return {
    status: response.statusCode ?? 0,
    ...unusualReason(response),
    headers: pairsOf(response.rawHeaders),
    ...(hasBody && undecoded !== undefined && { undecoded }),
    body:
      hasBody && encoding !== undefined && !undecoded ? removeContentEncoding(response, encoding) : response,
  };
};

function unusualReason({ statusCode = 0, statusMessage = "" }: IncomingMessage): { statusText?: string } {
  return statusMessage === "" || statusMessage === STATUS_CODES[statusCode]
    ? {}
    : { statusText: statusMessage };
}

/** Node's own limit is 16 KiB, and some gateways send more: limits by model, cookies, policies. */
const MAX_HEADER_BYTES = 256 * 1024;

/** Where this process has our own hooks, they leave such a connection alone. */
const DIRECT = { [Symbol.for("tapedeck.direct")]: true };

/** The proxy's response to CONNECT, from https-proxy-agent. */
interface ProxyAnswer {
  readonly statusCode: number;
  readonly statusText: string;
}

async function send(request: OutgoingRequest): Promise<IncomingMessage> {
  const { url, method, headers, body, signal, mayBePrivate } = request;
  const target = new URL(url);
  const scheme = target.protocol === "https:" ? "https:" : "http:";
  const { agent: proxy, isPublic } = await routeOf(target, mayBePrivate);
  const agent = proxy ?? (isPublic ? toPublic[scheme] : undefined);
  return new Promise((resolve, reject) => {
    const outgoing = (scheme === "https:" ? https : http).request(target, {
      method,
      signal,
      // Compressed answers would be held back by their encoder, event by event; identity keeps their pace.
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: { ...headersOf(headers, method, body), "accept-encoding": "identity" },
      ...(agent !== undefined && { agent }),
      ...DIRECT,
      ...(scheme === "https:" && checkInSpiteOf(process.env)),
    });
    let [isOver, isConnected] = [false, proxy === undefined];
    outgoing.once("proxyConnect", ({ statusCode, statusText }: ProxyAnswer) => {
      isConnected = true;
      // Its words would be taken for the provider's.
      if (statusCode !== 200)
        outgoing.destroy(notConnected(localize("your proxy answered {0} {1}", statusCode, statusText)));
    });
    outgoing.once("response", (response) => {
      isOver = true;
      resolve(response);
    });
    // More than one may come, also after the answer has begun: then its body fails, and nothing is sent again.
    outgoing.on("error", (error: Error) => {
      if (isOver) return;
      isOver = true;
      if (outgoing.reusedSocket && wasClosed(error) && !signal.aborted) resolve(send(request));
      else if (isConnected || outgoing.reusedSocket || signal.aborted) reject(withMessage(error));
      else reject(notConnected(localize("your proxy cannot be reached ({0})", withMessage(error).message)));
    });
    outgoing.end(body);
  });
}

/** Creates an error like that of a failed connection: nothing was sent. */
const notConnected = (message: string): Error => Object.assign(new Error(message), { syscall: "connect" });

/** Nothing on this machine is asked through a proxy; behind one, the proxy looks names up. */
async function routeOf(
  { href, hostname }: URL,
  mayBePrivate: boolean,
): Promise<{ readonly agent: http.Agent | undefined; readonly isPublic: boolean }> {
  const isHere = isLoopback(hostname);
  const agent = isHere ? undefined : await findAgent(href);
  return { agent, isPublic: agent === undefined && !isHere && !mayBePrivate };
}

/** Returns the options by which a WebSocket connects under the rules of `connect`. */
export async function createSocketOptions(target: URL, mayBePrivate: boolean): Promise<https.RequestOptions> {
  const { agent, isPublic } = await routeOf(target, mayBePrivate);
  return {
    ...(agent !== undefined && { agent }),
    ...(isPublic && { lookup: lookUpPublic }),
    ...DIRECT,
    ...(target.protocol === "https:" && checkInSpiteOf(process.env)),
  };
}

/**
 * Whether the other end closed a kept-alive connection before the request arrived. This shows only when the connection is
 * written to, mostly if this process was busy. Such a request is retried, in the end on a new connection.
 */
function wasClosed(error: NodeJS.ErrnoException): boolean {
  return error.code === "ECONNRESET" || error.code === "EPIPE";
}

function headersOf(headers: WireHeaders, method: string, body: Uint8Array): OutgoingHttpHeaders {
  const all: Record<string, string[]> = {};
  for (const [name, value] of headers) (all[name] ??= []).push(value);
  const plain = body.byteLength === 0 && (method === "GET" || method === "HEAD");
  return { ...all, ...(!plain && { "content-length": body.byteLength }) };
}

function pairsOf(raw: readonly string[]): WireHeaders {
  return Array.from({ length: raw.length / 2 }, (_, pair): [string, string] => [
    (raw[2 * pair] ?? "").toLowerCase(),
    raw[2 * pair + 1] ?? "",
  ]);
}

/** Adds a message to the error of several tried addresses, which has none, and advice to that of an unknown authority. */
function withMessage(error: NodeJS.ErrnoException): Error {
  if (error instanceof AggregateError && error.message === "")
    return new Error(error.errors.map(String).join("; "), { cause: error });
  const { code = "", message } = error;
  if (UNKNOWN_AUTHORITY.test(code))
    error.message = localize(
      "{0}; if your network has its own certificate authority, name its file in NODE_EXTRA_CA_CERTS",
      message,
    );
  return error;
}

/** Node error codes for a certificate of an authority that is not known. */
const UNKNOWN_AUTHORITY = /^(?:UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|SELF_SIGNED|DEPTH_ZERO)/;

/** Networks of one's own. Sources: RFC 1918, 3927, 4193, 4291, 5735 (0/8, 127/8), 6598 (100.64/10). */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv6");

/** Whether an address belongs to a network of one's own; one that maps an IPv4 address is read as that. */
export function isPrivate(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/**
 * Looks up a name and fails if one of its addresses is private. A provider on the internet has only public addresses, so
 * the user's key would be sent to another server that answers for its name.
 */
export const lookUpPublic: LookupFunction = (hostname, options: LookupOptions, callback) => {
  systemLookup(hostname, { ...options, all: true }, (error, addresses: readonly LookupAddress[]) => {
    if (error) return callback(error, "");
    const found = addresses.find(({ address }) => isPrivate(address));
    const [first] = addresses;
    if (found !== undefined || first === undefined) return callback(privateAddress(hostname, found), "");
    if (options.all === true) return callback(null, [...addresses]);
    return callback(null, first.address, first.family);
  });
};

function privateAddress(hostname: string, found: LookupAddress | undefined): Error {
  return new Error(
    found === undefined
      ? localize("{0} has no address", hostname)
      : localize(
          "{0} has the private address {1}; to allow it, set the upstream with {2}",
          hostname,
          found.address,
          formatOption("--upstream", "tapedeck.upstreams"),
        ),
  );
}

/** Connections to hosts that may not be private are never shared with others. */
const toPublic = {
  "http:": new http.Agent({ keepAlive: true, timeout: IDLE_MS, lookup: lookUpPublic }),
  "https:": new https.Agent({ keepAlive: true, timeout: IDLE_MS, lookup: lookUpPublic }),
};
