import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { anUpstream } from "../cli/an-upstream.ts";
import { aStatefulServer } from "../support/a-stateful-provider.ts";
import { aRealtimeServer } from "../support/a-realtime-server.ts";

async function passOn(url: string, init: RequestInit, response: ServerResponse): Promise<void> {
  const reply = await fetch(url, init);
  response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
  response.end(Buffer.from(await reply.arrayBuffer()));
}

/** Chat completions, Claude's messages, responses that continue others, and realtime sessions, on one port. */
export async function anUpstreamOfAll(): Promise<{ readonly options: readonly string[] }> {
  const chat = await anUpstream();
  const stateful = await aStatefulServer();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "" } = request;
    const body = await buffer(request);
    const { origin } = url.startsWith("/v1/responses") ? stateful : chat;
    await passOn(origin + url, { method, body }, response);
  };
  const { url } = await aRealtimeServer(undefined, (request, response) => void serve(request, response));
  return { options: ["--upstream", `openai=${url}`, "--upstream", `anthropic=${url}`] };
}
