import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { anUpstream } from "../cli/an-upstream.ts";
import { aForgetfulProvider } from "../support/a-forgetful-provider.ts";
import { converse } from "../support/a-realtime-server.ts";

async function passOn(url: string, init: RequestInit, response: ServerResponse): Promise<void> {
  const reply = await fetch(url, init);
  response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
  response.end(Buffer.from(await reply.arrayBuffer()));
}

/** Chat completions, Claude's messages, responses that continue others, and realtime sessions, on one port. */
export async function anUpstreamOfAll(): Promise<{ readonly options: readonly string[] }> {
  const chat = await anUpstream();
  const { answer } = aForgetfulProvider();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      const body = Buffer.concat(chunks);
      if (url.startsWith("/v1/responses")) {
        const { status, body: reply } = answer({ method, url: `http://provider${url}`, body });
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
        return;
      }
      void passOn(chat.origin + url, { method, body }, response);
    });
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (ws) =>
    converse(ws, (event) => ws.send(JSON.stringify({ event_id: `event_${Math.random()}`, ...event }))),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const ws of sockets.clients) ws.terminate();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { options: ["--upstream", `openai=${origin}`, "--upstream", `anthropic=${origin}`] };
}
