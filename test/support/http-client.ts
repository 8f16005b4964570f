import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string>;
  readonly body: Buffer;
  readonly text: string;
}

export interface HttpRequest {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

/** Sends one request over a new connection, exactly as given, without the additions of a browser or `fetch`. */
export function send(url: string, options: HttpRequest = {}): Promise<HttpReply> {
  const { method = "POST", headers = {}, body } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.once("error", reject);
      reply.once("end", () => {
        const all = Buffer.concat(chunks);
        const { statusCode = 0, headers: received, trailers } = reply;
        resolve({ status: statusCode, headers: received, trailers, body: all, text: all.toString() });
      });
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}
