import type { Socket } from "node:net";
import type { Upgrade } from "../sockets/take-socket.ts";
import { type HttpServer, type Request, Response } from "./messages.ts";

/** Passes requests for a WebSocket on. Requests for any other upgrade are answered without it. */
export function takeUpgrades(
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
