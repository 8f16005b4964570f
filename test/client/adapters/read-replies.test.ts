import { expect, test } from "vitest";
import { isChatError } from "../../../src/client/errors.ts";
import { collect } from "../../../src/client/merge-pieces.ts";
import { user } from "../../../src/client/make-message.ts";
import { CLIENTS, fetchGiving, type ClientName } from "./clients.ts";
import type { Answer } from "./answer.ts";
import { ANTHROPIC } from "./answers-of-anthropic.ts";
import { CHAT, RESPONSES } from "./answers-of-openai.ts";
import { DASHSCOPE, GEMINI, OLLAMA } from "./answers-of-others.ts";

/** By the adapter that reads it, by a name that says what is in it. */
const ANSWERS = {
  "openai chat": CHAT,
  "openai responses": RESPONSES,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  ollama: OLLAMA,
  dashscope: DASHSCOPE,
};

test("every answer is read, or told as a failure, as the page beside this test has it", async () => {
  const lines: string[] = [];
  for (const [name, answers] of Object.entries(ANSWERS))
    for (const [title, answer] of Object.entries(answers))
      lines.push(`# ${name}: ${title}`, await read(name as ClientName, answer), "");

  // `vitest FILE -u` writes the page anew.
  await expect(lines.join("\n")).toMatchFileSnapshot("read-replies.txt");
});

const schema = { type: "object", properties: { city: { type: "string" } } };

async function read(name: ClientName, answer: Answer): Promise<string> {
  const client = CLIENTS[name](fetchGiving(replyOf(name, answer)));
  const request = { messages: [user("Hi")], ...(answer.output && { output: { schema } }) };
  try {
    const reply = answer.stream ? await collect(client.stream(request)) : await client.complete(request);
    return JSON.stringify({ ...reply, raw: undefined });
  } catch (error) {
    if (!isChatError(error)) return `failed: ${String(error)}`;
    const { kind, message, status, retryable } = error;
    return `${kind}${status === undefined ? "" : ` ${status}`}${retryable ? ", may succeed later" : ""}: ${message}`;
  }
}

function replyOf(
  name: ClientName,
  { whole, stream, status = 200 }: Answer,
): Parameters<typeof fetchGiving>[0] {
  const lines = (stream ?? []).map((event) => {
    const text = JSON.stringify(event);
    if (name === "ollama") return `${text}\n`;
    return `${"type" in event ? `event: ${String(event["type"])}\n` : ""}data: ${text}\n\n`;
  });
  const body = stream === undefined ? JSON.stringify(whole) : lines.join("");
  const kind = name === "ollama" ? "application/x-ndjson" : "text/event-stream";
  return {
    status,
    contentType: stream === undefined ? "application/json" : kind,
    body: new TextEncoder().encode(body),
  };
}
