import type { IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { aServer } from "../support/a-server.ts";

export interface Upstream {
  readonly origin: string;
  /** Method and path of every request, in order. */
  readonly requests: readonly string[];
  /** The headers of every request, in order. */
  readonly headers: readonly IncomingMessage["headers"][];
  /** The last words of every request, in order. */
  readonly words: readonly string[];
  /** `--upstream` for both providers. */
  readonly options: readonly string[];
}

/** Both providers on one port: answers with what it was asked and a number that counts up, as JSON or as a stream. */
export async function anUpstream(): Promise<Upstream> {
  const requests: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const words: string[] = [];
  const origin = await aServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    const number = requests.length;
    void readJson(request).then((body) => {
      words.push(String(body.messages?.at(-1)?.content));
      return answer(request.url ?? "", body, { number, response });
    });
  });
  const options = ["--upstream", `openai=${origin}`, "--upstream", `anthropic=${origin}`];
  return { origin, requests, headers, words, options };
}

interface ChatBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly { readonly content?: unknown }[];
}

interface Answering {
  readonly number: number;
  readonly response: ServerResponse;
}

function answer(path: string, asked: ChatBody, { number, response }: Answering): void {
  const text = `Answer ${number} to ${String(asked.messages?.at(-1)?.content)}`;
  if (/\/chat\/completions(?:\?|$)/.test(path)) return openai(asked, text, { number, response });
  if (path.startsWith("/v1/messages")) return anthropic(asked, text, { number, response });
  response.writeHead(404, { "content-type": "application/json" });
  response.end('{"error":{"message":"no such path"}}');
}

function openai({ model, stream }: ChatBody, text: string, { number, response }: Answering): void {
  const id = `chatcmpl-${number}`;
  const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
  const message = { role: "assistant", content: text };
  if (stream !== true) {
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return sendJson(response, { id, object: "chat.completion", created: 1, model, choices, usage });
  }
  const base = { id, object: "chat.completion.chunk", created: 1, model };
  const events = [
    ...text.split(" ").map((word) => ({
      ...base,
      choices: [{ index: 0, delta: { content: `${word} ` }, finish_reason: null }],
    })),
    { ...base, choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage },
  ];
  sendEvents(response, [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), "data: [DONE]\n\n"]);
}

function anthropic({ model, stream }: ChatBody, text: string, { number, response }: Answering): void {
  const usage = { input_tokens: 9, output_tokens: 3 };
  const message = {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model,
    stop_sequence: null,
    usage,
  };
  if (stream !== true)
    return sendJson(response, { ...message, content: [{ type: "text", text }], stop_reason: "end_turn" });
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 3 },
    },
    { type: "message_stop" },
  ];
  sendEvents(
    response,
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  );
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendEvents(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for (const event of events) response.write(event);
  response.end();
}

async function readJson(request: IncomingMessage): Promise<ChatBody> {
  return JSON.parse((await readText(request)) || "{}") as ChatBody;
}
