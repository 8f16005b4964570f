import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { anUpstream } from "../cli/an-upstream.ts";
import { aForgetfulProvider } from "../support/a-forgetful-provider.ts";
import { aRealtimeServer } from "../support/a-realtime-server.ts";

async function passOn(url: string, init: RequestInit, response: ServerResponse): Promise<void> {
  const reply = await fetch(url, init);
  response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
  response.end(Buffer.from(await reply.arrayBuffer()));
}

/** Chat completions, Claude's messages, responses that continue others, and realtime sessions, on one port. */
export async function anUpstreamOfAll(): Promise<{ readonly options: readonly string[] }> {
  const chat = await anUpstream();
  const { answer } = aForgetfulProvider();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "" } = request;
    const body = await buffer(request);
    if (!url.startsWith("/v1/responses")) return passOn(chat.origin + url, { method, body }, response);
    const { status, body: reply } = answer({ method, url: `http://provider${url}`, body });
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(reply));
    return undefined;
  };
  const { url } = await aRealtimeServer(undefined, (request, response) => void serve(request, response));
  return { options: ["--upstream", `openai=${url}`, "--upstream", `anthropic=${url}`] };
}
