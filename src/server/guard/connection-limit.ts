import { localize } from "../../core/base/localize.ts";
import type { Socket } from "node:net";
import type { Engine } from "../../core/answer/engine.ts";
import { createRefusal, type TapedeckError } from "../../core/base/errors.ts";
import { writeRawRefusal } from "../http/raw-refusal.ts";
import { getIdleSince, type HttpServer } from "../http/messages.ts";

/** A stranger is a connection over which no request with a token has come yet. */
export interface ConnectionLimits {
  /** Strangers that had a moment to show a token. */
  readonly strangers: number;
  /** That moment, in milliseconds. */
  readonly momentMs: number;
  /** Strangers of any age: more than a test suite opens at once. */
  readonly newcomers: number;
  /** Maximum connections with a token. Beyond it, idle ones are closed. */
  readonly clients: number;
}

export interface ConnectionOptions {
  readonly limits: ConnectionLimits;
  readonly engine: Pick<Engine, "refuse">;
  readonly onRefusal?: (error: TapedeckError) => void;
}

/** The connections of a server. */
export interface Connections {
  readonly open: ReadonlySet<Socket>;
  /** Connections that have not carried a request with a token yet. */
  readonly strangers: Pick<ReadonlySet<Socket>, "has">;
  /** Marks a connection that carried a request with a token. It is not closed while it is in use. */
  trust(socket: Socket): void;
  /** Registers `stream` as a part of `socket`: trusting one trusts the other. */
  extend(socket: Socket, stream: Socket): void;
}

/**
 * Accepts every new connection, because it may belong to one of the user's programs. The oldest connections without a
 * token are closed to make room, so a program without a token cannot lock out one that has a token.
 */
export function limitConnections(server: HttpServer, options: ConnectionOptions): Connections {
  const { limits, engine, onRefusal } = options;
  const open = new Set<Socket>();
  /** When each came, oldest first. */
  const strangers = new Map<Socket, number>();
  const dismissStrangers = (now: number): void => {
    for (const [socket, since] of strangers) {
      const isOne = strangers.size >= limits.strangers && now - since >= limits.momentMs;
      if (!isOne && strangers.size < limits.newcomers) return;
      strangers.delete(socket);
      const error = tooManyStrangers(strangers.size);
      onRefusal?.(error);
      dismiss(socket, () => writeRawRefusal(engine.refuse(undefined, error), "503 Service Unavailable"));
    }
  };
  // Before the server's own listener, which begins to read.
  server.prependListener("connection", (socket: Socket) => {
    const now = performance.now();
    dismissStrangers(now);
    if (open.size - strangers.size >= limits.clients)
      for (const one of open) if (!strangers.has(one) && getIdleSince(one)) one.destroy();
    open.add(socket);
    strangers.set(socket, now);
    socket.once("close", () => {
      open.delete(socket);
      strangers.delete(socket);
    });
  });
  const wholes = new WeakMap<Socket, Socket>();
  return {
    open,
    strangers,
    trust(socket) {
      strangers.delete(socket);
      const whole = wholes.get(socket);
      if (whole !== undefined) strangers.delete(whole);
    },
    extend: (socket, stream) => void wholes.set(stream, socket),
  };
}

/** Closes a connection. If nothing was sent on it yet, the reason is sent first, without waiting for the client. */
function dismiss(socket: Socket, words: () => Buffer): void {
  if (socket.bytesWritten === 0 && socket.writable) socket.write(words());
  socket.destroy();
}

function tooManyStrangers(others: number): TapedeckError {
  const hint = localize("Send a request with the token right after connecting.");
  return createRefusal(
    localize("its connection sent no token, and {0} others are waiting.", others),
    hint,
    503,
  );
}
