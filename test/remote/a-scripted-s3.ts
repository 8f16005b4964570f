import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { S3Address } from "../../src/remote/address/remote-address.ts";
import { s3At } from "./servers.ts";

export interface ScriptedReply {
  readonly status: number;
  /** The error's code, where it is one. */
  readonly code?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const EMPTY_LIST =
  '<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';

/** A server whose answers a test makes up: for what no server here can be brought to say. Undefined is what S3 would say to the probe. */
export async function aScriptedS3(
  answer: (request: IncomingMessage) => ScriptedReply | undefined,
): Promise<{ readonly address: S3Address; readonly asked: readonly IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    request.resume();
    const usual = request.method === "PUT" ? { status: 412 } : { status: 200, body: EMPTY_LIST };
    const { status, code, body, headers = {} }: ScriptedReply = answer(request) ?? usual;
    const text =
      body ?? (code === undefined ? "" : `<Error><Code>${code}</Code><Message>so it is</Message></Error>`);
    response.writeHead(status, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: s3At((server.address() as AddressInfo).port), asked };
}

/** A proxy that leads every connection to a port of this machine. */
export async function aProxyTo(
  port: number,
): Promise<{ readonly port: number; readonly connected: readonly string[] }> {
  const connected: string[] = [];
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, client) => {
    connected.push(url);
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    for (const socket of [client, upstream]) socket.on("error", () => {});
    onTestFinished(() => void upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return { port: (proxy.address() as AddressInfo).port, connected };
}
