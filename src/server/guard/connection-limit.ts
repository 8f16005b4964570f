import type { Socket } from "node:net";
import type { Engine } from "../../core/engine.ts";
import { refused, type TapedeckError } from "../../core/errors.ts";
import { rawRefusal } from "../http/raw-refusal.ts";
import { idleSince, type HttpServer } from "../http/response.ts";

export interface ConnectionLimit {
  readonly limit: number;
  readonly engine: Pick<Engine, "refuse">;
  readonly onRefusal?: (error: TapedeckError) => void;
}

/** So many are told why they are refused; what comes beyond them is dropped without a word. */
const TOLD_AT_A_TIME = 64;

/**
 * Refuses connections beyond a limit, in words; idle ones make room for new ones first. Gives those that are open at any
 * time.
 */
export function limitConnections(server: HttpServer, options: ConnectionLimit): ReadonlySet<Socket> {
  const { limit, engine, onRefusal } = options;
  const open = new Set<Socket>();
  server.maxConnections = limit + TOLD_AT_A_TIME;
  // Before the server's own listener: a refused connection never becomes a request.
  const [accept] = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket: Socket) => {
    if (open.size >= limit) for (const one of open) if (idleSince(one)) one.destroy();
    if (openNow(open) >= limit) {
      const error = tooManyConnections(limit);
      onRefusal?.(error);
      refuse(socket, rawRefusal(engine.refuse(undefined, error), "503 Service Unavailable"));
      return;
    }
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    accept?.call(server, socket);
  });
  return open;
}

/** Those that were closed a moment ago have not said so yet. */
function openNow(open: ReadonlySet<Socket>): number {
  let count = 0;
  for (const socket of open) if (!socket.destroyed) count += 1;
  return count;
}

/** Nothing that it sends is read, beyond what keeps it from losing the answer. */
function refuse(socket: Socket, bytes: Buffer): void {
  socket.on("error", () => socket.destroy());
  socket.end(bytes);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const LINGER_MS = 1_000;

function tooManyConnections(limit: number): TapedeckError {
  const hint = "Close some, or make fewer calls at a time.";
  return refused(`${limit} connections are open already.`, hint, 503);
}
