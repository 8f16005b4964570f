import { expect, test } from "vitest";
import { isChatError } from "../../../src/client/errors.ts";
import { collect } from "../../../src/client/merge-pieces.ts";
import { user } from "../../../src/client/make-message.ts";
import type { StreamEvent } from "../../../src/client/reply.ts";
import { CLIENTS, fetchGiving, type ClientName } from "./clients.ts";
import { ANSWERS, type Answer, wireOf } from "./answer.ts";

test("every answer is read or fails as in the snapshot file read-replies.txt", async () => {
  const lines: string[] = [];
  for (const [name, answers] of Object.entries(ANSWERS))
    for (const [title, answer] of Object.entries(answers))
      lines.push(`# ${name}: ${title}`, await read(name as ClientName, answer), "");

  // `vitest FILE -u` updates the snapshot file.
  await expect(lines.join("\n")).toMatchFileSnapshot("read-replies.txt");
});

const schema = { type: "object", properties: { city: { type: "string" } } };

async function read(name: ClientName, answer: Answer): Promise<string> {
  const client = CLIENTS[name](fetchGiving(wireOf(name, answer)));
  const request = { messages: [user("Hi")], ...(answer.output && { output: { schema } }) };
  try {
    if (answer.stream === undefined)
      return JSON.stringify({ ...(await client.complete(request)), raw: undefined });
    const told: string[] = [];
    const reply = await collect(kindsOf(client.stream(request), told));
    return `${told.join(" ")}\n${JSON.stringify({ ...reply, raw: undefined })}`;
  } catch (error) {
    if (!isChatError(error)) return `failed: ${String(error)}`;
    const { kind, message, status, retryable, hint, provider, requestId, retryAfterMs } = error;
    const facts = JSON.stringify({ kind, status, provider, requestId, retryAfterMs, hint });
    return `${facts}${retryable ? ", may succeed later" : ""}: ${message}`;
  }
}

/** Forwards events and collects their types, with the index of events that have one. */
async function* kindsOf(events: AsyncIterable<StreamEvent>, told: string[]): AsyncGenerator<StreamEvent> {
  for await (const event of events) {
    told.push("index" in event ? `${event.type}@${event.index}` : event.type);
    yield event;
  }
}

test("audio has the requested format, and a choice can have any number", async () => {
  const message = { role: "assistant", content: null, audio: { id: "a1", data: "aGk=" } };
  const completion = { choices: [{ index: 3, finish_reason: "stop", message }] };
  const client = CLIENTS["openai chat"](async () => Response.json(completion));
  const settings = { extra: { audio: { format: "mp3" } } };

  const said = async (request: object): Promise<unknown> =>
    (await client.complete({ messages: [user("Hi")], ...request })).message.parts;

  expect(await said({ settings })).toMatchObject([{ type: "audio", source: { mediaType: "audio/mp3" } }]);
  expect(await said({})).toMatchObject([{ type: "audio", source: { mediaType: "audio/wav" } }]);
});
