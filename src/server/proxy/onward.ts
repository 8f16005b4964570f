import { localize } from "../../core/base/localize.ts";
import { connect as connectTls } from "node:tls";
import { type Socket, connect } from "node:net";
import { once } from "node:events";
import type { Destination } from "../../core/protocol/origin.ts";
import { readFileSync } from "node:fs";

/** A proxy that connections go on through, as the user's environment names it; undefined for none. */
export type NextProxy = (destination: Destination) => string | undefined;

const CONNECT_MS = 30_000;
const LONGEST_HEAD = 64 * 1_024;

/** Connects to the client's destination, through the user's proxy if there is one. @throws Error with the reason */
export async function connectOnward({ host, port }: Destination, proxy: string | undefined): Promise<Socket> {
  const bare = host.replace(/^\[|\]$/g, "");
  if (proxy === undefined) return waitForConnection(connect({ host: bare, port }));
  const { socket, authorization } = await dialProxy(proxy);
  return openTunnel(socket, { host, port }, authorization);
}

export interface ProxyConnection {
  readonly socket: Socket;
  /** The header `proxy-authorization`. Undefined if the proxy's address has no user. */
  readonly authorization: string | undefined;
}

/** Connects to a proxy. @throws Error with the reason */
export async function dialProxy(proxy: string): Promise<ProxyConnection> {
  const address = new URL(proxy);
  const at = { host: address.hostname.replace(/^\[|\]$/g, ""), port: Number(address.port || 80) };
  if (address.protocol !== "http:" && address.protocol !== "https:")
    throw new Error(localize("proxies with {0} are not supported", address.protocol));
  const socket =
    address.protocol === "https:"
      ? await waitForConnection(connectTls({ ...at, servername: at.host }), "secureConnect")
      : await waitForConnection(connect(at));
  const user = `${decodeURIComponent(address.username)}:${decodeURIComponent(address.password)}`;
  const authorization = address.username === "" ? undefined : `Basic ${Buffer.from(user).toString("base64")}`;
  return { socket, authorization };
}

/** The tunnel of the replay server to a provider's host. */
export async function connectToDeck(
  port: number,
  token: string,
  { destination, scheme }: { readonly destination: Destination; readonly scheme: "http" | "https" },
): Promise<Socket> {
  const socket = await waitForConnection(connect({ host: "127.0.0.1", port }));
  return openTunnel(socket, destination, `Bearer ${token}`, [`Tapedeck-Scheme: ${scheme}`]);
}

async function waitForConnection(socket: Socket, event = "connect"): Promise<Socket> {
  const timer = setTimeout(() => socket.destroy(new Error(localize("it timed out"))), CONNECT_MS);
  try {
    await once(socket, event);
    return socket;
  } finally {
    clearTimeout(timer);
  }
}

/** Asks a proxy for a tunnel, and gives the connection as it is behind its answer. */
async function openTunnel(
  socket: Socket,
  { host, port }: Destination,
  authorization: string | undefined,
  more: readonly string[] = [],
): Promise<Socket> {
  const lines = [
    `CONNECT ${host}:${port} HTTP/1.1`,
    `Host: ${host}:${port}`,
    ...(authorization === undefined ? [] : [`Proxy-Authorization: ${authorization}`]),
    ...more,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  let head = Buffer.alloc(0);
  for (;;) {
    const end = head.indexOf("\r\n\r\n");
    if (end >= 0) {
      const [status = ""] = head.subarray(0, end).toString("latin1").split("\r\n");
      if (!/^HTTP\/1\.[01] 2\d\d/.test(status)) {
        socket.destroy();
        throw new Error(localize("the proxy answered {0}", status));
      }
      const rest = head.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      return socket;
    }
    if (head.length > LONGEST_HEAD) throw new Error(localize("the response of the proxy is invalid"));
    const piece = socket.read() as Buffer | null;
    if (piece !== null) head = Buffer.concat([head, piece]);
    else if (socket.readableEnded || socket.destroyed)
      throw new Error(localize("the proxy closed the connection"));
    else await Promise.race([once(socket, "readable"), once(socket, "close")]);
  }
}

/**
 * Whether the other end of a connection on this machine is a process of the same user. Only Linux reports it (proc(5),
 * net/tcp); false on other systems, and if the user cannot be determined.
 */
export function isOfSameUser({ remotePort, localPort }: Socket): boolean {
  if (process.platform !== "linux" || remotePort === undefined || localPort === undefined) return false;
  const isTheirs = ([, local = "", remote = "", , , , , uid]: readonly string[]): boolean =>
    HERE.test(local) &&
    HERE.test(remote) &&
    local.endsWith(`:${hex(remotePort)}`) &&
    remote.endsWith(`:${hex(localPort)}`) &&
    uid === String(process.getuid?.());
  return TABLES.flatMap((table) => readTable(table).split("\n")).some((line) =>
    isTheirs(line.trim().split(/\s+/)),
  );
}

/** Java's sockets are of the newer kind, whatever they are connected to. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];

/** 127.0.0.1, as it is, or within the newer kind of address. */
const HERE = /^(?:0000000000000000FFFF0000)?0100007F:/;

function readTable(table: string): string {
  try {
    return readFileSync(table, "utf8");
  } catch {
    return "";
  }
}

function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
