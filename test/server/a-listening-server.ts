import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { listen, type ListenOptions, type ReplayServer } from "../../src/server/server.ts";
import { anEngine, aRun } from "../support/an-engine.ts";
import { send, type HttpReply } from "../support/http-client.ts";

export const TOKEN = "token-of-the-test";

/** A server for the time of a test, and raw connections to it. */
export interface ListeningServer {
  readonly server: ReplayServer;
  readonly engine: ReturnType<typeof anEngine>;
  /** Sends a chat call with this text over a new connection. */
  readonly chat: (content?: string) => Promise<HttpReply>;
  readonly open: (bytes?: string) => Promise<Opened>;
  /** The head of a chat call with these header lines; the empty line after them is left out. */
  readonly head: (...more: string[]) => string;
}

export interface Opened {
  readonly socket: Socket;
  /** All bytes received until the server ended the connection. */
  readonly told: Promise<string>;
  /** Until nothing is left of the connection. */
  readonly closed: Promise<void>;
  /** Resolves with the next bytes. */
  readonly next: () => Promise<string>;
}

export async function aListeningServer(
  options: Partial<ListenOptions> = {},
  engine = anEngine(),
): Promise<ListeningServer> {
  const server = await listen({ engine: engine.engine, ...options });
  onTestFinished(() => server.close());
  const { url } = server.admit(aRun("record"), TOKEN);
  return {
    server,
    engine,
    chat: (content = "hi") =>
      send(`${url}/openai/v1/chat/completions`, {
        headers: { "content-type": "application/json" },
        body: chatBody(content),
      }),
    open: (bytes = "") => openAt(server.port, bytes),
    head: (...more) =>
      [
        `POST /${TOKEN}/openai/v1/chat/completions HTTP/1.1`,
        `host: 127.0.0.1:${server.port}`,
        "content-type: application/json",
        ...more,
        "",
      ].join("\r\n"),
  };
}

/** A chat call for a host, as its client writes it; with other words for its path and further header lines. */
export function chatTo(host: string, path = "/v1/chat/completions", ...more: readonly string[]): string {
  const body = chatBody("hi");
  const length = `content-length: ${body.length}`;
  const head = [`POST ${path} HTTP/1.1`, `host: ${host}`, "content-type: application/json", length, ...more];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

export function chatBody(content: string): string {
  return JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] });
}

/** A client that never closes its own end. */
export function openAt(port: number, bytes: string): Promise<Opened> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    let received = "";
    socket.on("data", (chunk) => (received += chunk.toString()));
    // A peer that is cut off while writing may have read the reply or not; the received text shows it.
    socket.on("error", () => {});
    const closed = new Promise<void>((end) => socket.once("close", () => end()));
    const told = new Promise<string>((end) => {
      for (const over of ["end", "close"]) socket.once(over, () => end(received));
    });
    const next = (): Promise<string> =>
      new Promise((come) => socket.once("data", (chunk) => come(chunk.toString())));
    socket.once("connect", () => {
      if (bytes !== "") socket.write(bytes);
      resolve({ socket, told, closed, next });
    });
  });
}

/** Writes something now and then, for as long as anybody listens. */
export function drip(socket: Socket, text: string): void {
  const dripping = setInterval(() => void (socket.writable && socket.write(text)), 5);
  socket.once("close", () => clearInterval(dripping));
  onTestFinished(() => clearInterval(dripping));
}
