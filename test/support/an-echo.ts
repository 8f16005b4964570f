import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { aServer } from "./a-server.ts";

/** A model that repeats the last message: "About …". Returns its origin. */
export const anEcho = (): Promise<string> => aServer((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages } = (await json(request)) as { messages: readonly { content: string }[] };
  const message = { role: "assistant", content: `About ${messages.at(-1)?.content}` };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
}
