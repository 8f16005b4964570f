import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import process from "node:process";
import { isLoopback } from "../../core/protocol/upstream-address.ts";
import { checkedInSpiteOf } from "../../server/upstream/certificates.ts";
import { leavingIdleOnes } from "../../server/upstream/idle-connections.ts";
import { agentFor } from "../../server/upstream/proxy.ts";
import type { Waiting } from "../patience.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** One server's connections, kept for the next request. */
export interface Sender {
  /**
   * The whole reply, whatever its status. No redirect is followed.
   * @throws the system's error; `TooManyBytes` where the body is longer than `mostBytes`
   */
  send(request: HttpRequest, waiting: Waiting, mostBytes: number): Promise<HttpReply>;
  close(): void;
}

/** The body of a reply is longer than asked for. */
export class TooManyBytes extends Error {}

/** Where this process has our own hooks, they leave such a connection alone. */
const DIRECT = { [Symbol.for("tapedeck.direct")]: true };

export function createSender(endpoint: string): Sender {
  const { protocol, hostname } = new URL(endpoint);
  const { request, Agent } = protocol === "https:" ? https : http;
  const own = new Agent({ keepAlive: true, maxSockets: 64 });
  const leaveIdle = leavingIdleOnes(own);

  const sendOnce = async (outgoing: HttpRequest, waiting: Waiting, mostBytes: number): Promise<HttpReply> => {
    leaveIdle();
    const proxy = isLoopback(hostname) ? undefined : await agentFor(outgoing.url);
    const { method, headers, body } = outgoing;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sending = request(outgoing.url, {
        method,
        signal: waiting.signal,
        headers: { ...headers, "accept-encoding": "identity", ...lengthOf(method, body) },
        agent: proxy ?? own,
        ...DIRECT,
        ...checkedInSpiteOf(process.env),
      });
      sending.once("response", resolve);
      sending.on("error", (error: Error) =>
        reject(Object.assign(error, { wasReused: sending.reusedSocket })),
      );
      sending.end(body);
    });
    waiting.alive();
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: await readBody(response, waiting, mostBytes),
    };
  };

  return {
    async send(outgoing, waiting, mostBytes) {
      try {
        return await sendOnce(outgoing, waiting, mostBytes);
      } catch (error) {
        // The server closed a kept connection at the moment when it was used again.
        if (!isStale(error) || waiting.signal.aborted) throw error;
        return sendOnce(outgoing, waiting, mostBytes);
      }
    },
    close: () => own.destroy(),
  };
}

function lengthOf(method: string, body: Uint8Array): Readonly<Record<string, string>> {
  return method === "GET" ? {} : { "content-length": String(body.byteLength) };
}

async function readBody(response: IncomingMessage, waiting: Waiting, mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    waiting.alive();
    length += piece.byteLength;
    if (length > mostBytes) {
      response.destroy();
      throw new TooManyBytes(`the answer is longer than ${mostBytes} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function isStale(error: unknown): boolean {
  return error instanceof Error && "wasReused" in error && error.wasReused === true;
}
