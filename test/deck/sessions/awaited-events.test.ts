import { expect, test } from "vitest";
import { WebSocket as UndiciSocket } from "undici";
import { WebSocket } from "ws";
import type { Deck } from "../../../src/deck/deck.ts";
import {
  encodeReceived,
  encodeSent,
  SESSION_STATUS,
  SESSION_TYPE,
} from "../../../src/core/call/transcript.ts";
import { aSessionDeck } from "../../support/a-session-deck.ts";
import { aSocketClient } from "../../support/a-socket-client.ts";

const PIECES = 50;
const messages = (type: string) => Array.from({ length: PIECES }, (_, at) => ({ type, at }));
const textsOf = (all: readonly object[]) => all.map((message) => ({ text: JSON.stringify(message) }));
const SENT = textsOf([...messages("input_audio_buffer.append"), { type: "response.create" }]);
const RECEIVED = textsOf([
  { type: "response.created" },
  ...messages("response.output_audio.delta"),
  { type: "response.done", response: { output: [] } },
]);

/** Saves a session whose frames arrived a millisecond after each other. */
async function saveSession(deck: Deck): Promise<void> {
  await deck.store.save({
    provider: "openai",
    operation: "realtime",
    key: `sha256:${"0".repeat(64)}`,
    recordedAt: "2026-11-28T00:00:00.000Z",
    request: { method: "GET", path: "/v1/realtime?model=gpt-realtime", headers: [], body: encodeSent(SENT) },
    reply: {
      status: SESSION_STATUS,
      contentType: SESSION_TYPE,
      body: encodeReceived(RECEIVED.map((frame) => ({ after: SENT.length, frame }))),
      waitsMs: RECEIVED.map(() => 1),
    },
  });
}

/** Clients that register a listener for an event only when they have handled the one before. */
const CLIENTS = { ws: WebSocket, "the global WebSocket of Node": UndiciSocket };

test.each(Object.entries(CLIENTS))(
  "a client with %s can await one event after another",
  async (_, Client) => {
    const { deck, url } = await aSessionDeck({});
    await saveSession(deck);
    const socket = new Client(url("strict").replace(/^http/, "ws"));
    const next = (type: "open" | "message") =>
      new Promise<unknown>((resolve) => {
        const take = (event: object): void => {
          socket.removeEventListener(type, take);
          resolve("data" in event ? event.data : undefined);
        };
        socket.addEventListener(type, take);
      });
    await next("open");
    for (const { text } of SENT) socket.send(text);
    const received: unknown[] = [];
    while (received.length < RECEIVED.length) received.push(await next("message"));
    socket.close();

    expect(received).toEqual(RECEIVED.map(({ text }) => text));
  },
);

test("a frame waits for the answer to its own ping, and for no other pong", async () => {
  const { deck, url } = await aSessionDeck({});
  await saveSession(deck);
  const { ws, frames, ...client } = await aSocketClient(url("strict"), { autoPong: false });
  const pinged = () => new Promise<Buffer>((resolve) => ws.once("ping", resolve));
  const first = pinged();
  for (const { text } of SENT) ws.send(text);
  ws.pong(await first);
  const second = await pinged();
  for (const other of ["of nothing", await first]) ws.pong(other);
  ws.ping("have you read my pongs?");
  await new Promise((resolve) => ws.once("pong", resolve));

  expect(frames).toHaveLength(2);
  ws.pong(second);
  expect(await client.until(RECEIVED[2]?.text ?? "")).toBe(RECEIVED[2]?.text);
});
