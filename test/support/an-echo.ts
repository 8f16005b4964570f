import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { aServer } from "./a-server.ts";

/** A model that repeats the last message: "About …", as a stream if it is asked for one. Returns its origin. */
export const anEcho = (): Promise<string> => aServer((request, response) => void answer(request, response));

interface ChatRequest {
  readonly messages: readonly { readonly content: string }[];
  readonly stream?: boolean;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages, stream } = (await json(request)) as ChatRequest;
  const message = { role: "assistant", content: `About ${messages.at(-1)?.content}` };
  if (stream === true) {
    const chunk = { choices: [{ index: 0, delta: message, finish_reason: "stop" }] };
    response.setHeader("content-type", "text/event-stream");
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
    return;
  }
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
}
