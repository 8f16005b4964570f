import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { aServer } from "../../support/a-server.ts";
import { aSessionDeck } from "../../support/a-session-deck.ts";

/** A server of agents' sessions: what is posted to a session is answered by two events of its stream, which never ends. */
async function anAgentServer() {
  let stream: ServerResponse | undefined;
  const url = await aServer((request, response) => {
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write(`event: session.status\ndata: {"status":"idle"}\n\n`);
      return;
    }
    let body = "";
    request.on("data", (piece) => (body += String(piece)));
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"data":[]}');
      for (const type of ["agent.thinking", "agent.message"])
        stream?.write(`event: ${type}\ndata: ${JSON.stringify({ type, about: JSON.parse(body) })}\n\n`);
      if (body.includes("bye")) stream?.end();
    });
  });
  return { url };
}

/** Opens the stream, and reads its events one after another. */
async function aStream(base: string) {
  const { body } = await fetch(`${base}/sessions/sesn_1/events/stream`);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  let isOver = false;
  const events: string[] = [];
  const next = async (): Promise<string> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        events.push(event);
        return event;
      }
      if (isOver) return "end";
      const { done, value } = await reader.read();
      isOver = done;
      text += value === undefined ? "" : Buffer.from(value).toString();
    }
  };
  return { events, next };
}

const post = (base: string, text: string) =>
  fetch(`${base}/sessions/sesn_1/events`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text }),
  }).then((reply) => reply.text());

test("an event waits for the request that caused it, and a stream that the server ended ends there", async () => {
  const upstream = await anAgentServer();
  const { url, reported, deck } = await aSessionDeck({ anthropic: upstream.url }, { path: "/anthropic/v1" });
  const record = url("record");
  const first = await aStream(record);
  await first.next();
  await post(record, "bye");
  expect([await first.next(), await first.next(), await first.next()].at(-1)).toBe("end");
  const stream = (await reported(2)).find(({ label }) => label.includes("stream"));
  expect((await deck.store.read(stream?.entry ?? "")).reply.after).toEqual([0, 1, 1, 1]);
  const strict = url("strict");
  const second = await aStream(strict);
  await second.next();
  let isEarly = true;
  const later = second.next().then((event) => ({ event, isEarly }));
  await fetch(`${strict}/sessions/sesn_2/events`, { method: "POST", body: "{}" });
  isEarly = false;
  await post(strict, "bye");

  expect(await later).toEqual({ event: first.events[1], isEarly: false });
  expect(await second.next()).toBe(first.events[2]);
  expect(await second.next()).toBe("end");
});
