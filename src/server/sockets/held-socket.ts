import { WebSocket } from "ws";
import { localize } from "../../core/base/localize.ts";
import type { Socket, SocketClose, SocketListener } from "../../core/call/socket.ts";

/** Close codes for a close frame without a code, and for a connection that ended without a close frame. */
const NO_CODE = 1005;
const NO_FRAME = 1006;
/** Maximum waits for the answer to a ping: before the first answer of a connection, and later. Milliseconds. */
const FIRST_PONG_MS = 250;
const PONG_MS = 5_000;
/** Begins the content of the pings of `settle`, which ends with their number. */
const SETTLING = "tapedeck";

/**
 * A WebSocket that leaves the answer to a close frame to its owner, so that a session is on disk before its client learns that it
 * ended. The package answers with `close()` and the received reason as a buffer, or without arguments.
 */
export class HeldSocket extends WebSocket {
  #mayClose = false;
  #answer: (() => void) | undefined;
  #onClosing: ((close: SocketClose) => void) | undefined;
  /** Undefined before the first ping of `settle`. */
  #answersPings: boolean | undefined;
  #onSettled: (() => void) | undefined;
  #pings = 0;

  override close(code?: number, data?: string | Buffer): void {
    const answersFrame = data instanceof Buffer || code === undefined;
    if (this.#mayClose || !answersFrame || this.readyState !== WebSocket.OPEN) return super.close(code, data);
    this.#answer = () => super.close(code, data);
    this.#onSettled?.();
    this.#onClosing?.({ code: code ?? NO_CODE, reason: data?.toString() ?? "" });
  }

  /** Answers the close frame that arrived, or closes with a code. */
  finish(close?: SocketClose): void {
    if (this.#mayClose) return;
    this.#mayClose = true;
    if (this.#answer !== undefined) this.#answer();
    else if (close === undefined || close.code === NO_FRAME) this.terminate();
    else super.close(close.code === NO_CODE ? undefined : close.code, close.reason);
  }

  onClosing(listener: (close: SocketClose) => void): void {
    this.#onClosing = listener;
  }

  /** Waits until the other end has answered a ping: then it has also handled the messages before. */
  async settle(): Promise<void> {
    if (this.#answersPings === false || this.readyState !== WebSocket.OPEN || this.#answer !== undefined)
      return new Promise((resolve) => setImmediate(resolve));
    const ping = `${SETTLING} ${(this.#pings += 1)}`;
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.off("pong", takePong);
        this.off("close", end);
        this.#onSettled = undefined;
        resolve();
      };
      const takePong = (content: Buffer): void => {
        if (content.toString() !== ping) return;
        this.#answersPings = true;
        end();
      };
      const timer = setTimeout(
        () => {
          this.#answersPings ??= false;
          end();
        },
        this.#answersPings === true ? PONG_MS : FIRST_PONG_MS,
      );
      this.#onSettled = end;
      this.on("pong", takePong);
      this.once("close", end);
      this.ping(ping);
    });
  }
}

/** Wraps an open WebSocket, which is paused until someone listens. */
export function wrapSocket(ws: HeldSocket): Socket {
  ws.pause();
  // A broken connection also emits "close".
  ws.on("error", () => {});
  return {
    listen(listener) {
      deliver(ws, listener);
      ws.resume();
    },
    send(message) {
      if (ws.readyState !== WebSocket.OPEN) return;
      if ("text" in message) ws.send(message.text);
      else ws.send(message.bytes);
    },
    settle: () => ws.settle(),
    ping(payload) {
      if (ws.readyState === WebSocket.OPEN) ws.ping(payload);
    },
    close(close) {
      ws.finish(close);
      // The answer to the close frame has to be read.
      ws.resume();
    },
  };
}

function deliver(ws: HeldSocket, listener: SocketListener): void {
  let isOver = false;
  const end = (close: SocketClose): void => {
    if (isOver) return;
    isOver = true;
    listener.close(close, () => ws.finish());
  };
  let fault: SocketClose | undefined;
  ws.on("error", ({ code, message }: Error & { readonly code?: string }) => {
    if (code === TOO_LARGE)
      fault = { code: 1009, reason: message, fault: localize("A message is larger than 16 MiB") };
    else if (code?.startsWith("WS_ERR_") === true)
      fault = { code: 1002, reason: message, fault: localize("A message cannot be read ({0})", message) };
  });
  ws.on("message", (bytes: Buffer, isBinary: boolean) =>
    listener.message(isBinary ? { bytes } : { text: bytes.toString() }),
  );
  ws.on("ping", (payload: Buffer) => listener.ping(payload));
  ws.onClosing(end);
  ws.once("close", (code: number, reason: Buffer) => end(fault ?? { code, reason: reason.toString() }));
  if (ws.readyState === WebSocket.CLOSED) end({ code: NO_FRAME, reason: "" });
}

const TOO_LARGE = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";
