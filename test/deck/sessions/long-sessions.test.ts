import { expect, test, vi } from "vitest";
import { WebSocket as UndiciSocket } from "undici";
import { WebSocket } from "ws";
import type { Deck } from "../../../src/deck/deck.ts";
import {
  encodeReceived,
  encodeSent,
  SESSION_STATUS,
  SESSION_TYPE,
} from "../../../src/core/call/transcript.ts";
import { casesOf } from "../../support/cases.ts";
import { aDirectClient, aSessionDeck } from "../../support/a-session-deck.ts";
import { aSocketClient } from "../../support/a-socket-client.ts";

const PIECES = 50;
/** Turns of half an hour. */
const TURNS = casesOf({ quick: 15, long: 60 });
const audio = (turn: number, at: number): string =>
  Buffer.from(`turn ${turn}, piece ${at}: `.repeat(40)).toString("base64");
const json = (message: object) => ({ text: JSON.stringify(message) });

/** The messages of one turn: the client's audio, and the frames of the reply. */
const sentIn = (turn: number) => [
  ...Array.from({ length: PIECES }, (_, at) =>
    json({ type: "input_audio_buffer.append", audio: audio(turn, at) }),
  ),
  json({ type: "response.create" }),
];
const receivedIn = (turn: number) => [
  json({ type: "response.created", response: { id: `resp_${turn}` } }),
  ...Array.from({ length: PIECES }, (_, at) =>
    json({ type: "response.output_audio.delta", item_id: `item_${turn}`, delta: audio(turn, at) }),
  ),
  json({ type: "response.done", response: { id: `resp_${turn}`, output: [] } }),
];

/** Saves a session whose frames arrived this long after each other. */
async function aSession(deck: Deck, { turns, waitMs }: { readonly turns: number; readonly waitMs: number }) {
  const numbers = Array.from({ length: turns }, (_, turn) => turn);
  const sent = numbers.flatMap(sentIn);
  const received = numbers.flatMap((turn) =>
    receivedIn(turn).map((frame) => ({ after: (turn + 1) * (PIECES + 1), frame })),
  );
  const { entry } = await deck.store.save({
    provider: "openai",
    operation: "realtime",
    key: `sha256:${"0".repeat(64)}`,
    recordedAt: "2026-11-28T00:00:00.000Z",
    request: { method: "GET", path: "/v1/realtime?model=gpt-realtime", headers: [], body: encodeSent(sent) },
    reply: {
      status: SESSION_STATUS,
      contentType: SESSION_TYPE,
      body: encodeReceived(received),
      waitsMs: received.map(() => waitMs),
    },
  });
  return { entry, sent, frames: received.map(({ frame }) => frame.text) };
}

test("a long session is read once, and no frame of its audio waits for the client", async () => {
  const { deck } = await aSessionDeck({});
  const { entry, sent, frames } = await aSession(deck, { turns: TURNS, waitMs: 0 });
  const read = vi.spyOn(deck.store, "read");
  const replay = async () => {
    const client = await aDirectClient(deck, deck.createRun("strict"));
    for (const { text } of sent) client.send(text);
    return { outcome: await client.end(), frames: client.frames, settled: client.settled() };
  };
  const results = [await replay(), await replay()];

  // Waits are between events, and between events and audio.
  expect(results).toEqual(results.map(() => ({ outcome: "replayed", frames, settled: TURNS * 3 - 1 })));
  expect(read.mock.calls.map(([name]) => name)).toEqual([entry]);
});

/** Clients that register a listener for an event only when they have handled the one before. */
const CLIENTS = { ws: WebSocket, "the global WebSocket of Node": UndiciSocket };

test.each(Object.entries(CLIENTS))(
  "a client with %s can await one event after another",
  async (_, Client) => {
    const { deck, url } = await aSessionDeck({});
    const { sent, frames } = await aSession(deck, { turns: 2, waitMs: 1 });
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
    for (const { text } of sent) socket.send(text);
    const received: unknown[] = [];
    while (received.length < frames.length) received.push(await next("message"));
    socket.close();

    expect(received).toEqual(frames);
  },
);

test("a frame waits for the answer to its own ping, and for no other pong", async () => {
  const { deck, url } = await aSessionDeck({});
  const { sent, frames } = await aSession(deck, { turns: 1, waitMs: 1 });
  const { ws, frames: seen, ...client } = await aSocketClient(url("strict"), { autoPong: false });
  const pings: string[] = [];
  let onPing = (): void => {};
  ws.on("ping", (content: Buffer) => {
    pings.push(content.toString());
    onPing();
  });
  const pinged = (count: number) =>
    new Promise<string>((resolve) => {
      onPing = () => pings.length >= count && resolve(pings[count - 1] ?? "");
      onPing();
    });
  for (const { text } of sent) ws.send(text);
  ws.pong(await pinged(1));
  const second = await pinged(2);
  ws.pong("of nothing");
  ws.pong(pings[0]);
  ws.ping("have you read my pongs?");
  await new Promise((resolve) => ws.once("pong", resolve));

  expect(seen).toEqual(frames.slice(0, 2));
  ws.pong(second);
  expect(await client.until(frames[2] ?? "")).toBe(frames[2]);
});
