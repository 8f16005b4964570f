import type { Socket } from "node:net";
import { idleSince, type HttpServer, type Response } from "../http/node-messages.ts";

export interface IdlePatience {
  /** How long a connection may be idle, at least. */
  readonly idleMs: number;
  /** How often it is looked. */
  readonly checkMs: number;
}

/**
 * Closes connections of a listening server over which no call came for long. One look at all of them now and then: a timer
 * for each, as Node has it, is set and taken back with every call, which costs a twentieth of a replay.
 */
export function closeIdle(server: HttpServer, open: ReadonlySet<Socket>, patience: IdlePatience): void {
  const { idleMs, checkMs } = patience;
  const seen = new WeakMap<Socket, { readonly response: Response; readonly at: number }>();
  const look = (): void => {
    const now = performance.now();
    for (const socket of open) {
      const response = idleSince(socket);
      if (response === undefined) continue;
      const before = seen.get(socket);
      if (before?.response !== response) seen.set(socket, { response, at: now });
      else if (now - before.at >= idleMs) socket.destroy();
    }
  };
  const timer = setInterval(look, checkMs).unref();
  server.once("close", () => clearInterval(timer));
}
