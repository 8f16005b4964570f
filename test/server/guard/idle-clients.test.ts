import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import type { OutgoingRequest } from "../../../src/core/answer/source/source.ts";
import { listen, type Patience, type ReplayServer } from "../../../src/server/server.ts";
import { anEngine, aRun, chatEvent, chatReply, DONE, streamReply } from "../../support/an-engine.ts";

const LONG = "long ".repeat(10_000);
/** Longer than what is sent in one piece. */
const STREAM = [chatEvent(LONG.repeat(6)), DONE];

function upstream({ body }: OutgoingRequest) {
  const asked = Buffer.from(body).toString();
  if (asked.includes("never")) return new Promise<never>(() => {});
  if (asked.includes("stream")) return streamReply(STREAM);
  return chatReply(asked.includes("long") ? LONG : "hello");
}

async function start(patience?: Partial<Patience>) {
  const server = await listen({ engine: anEngine(upstream).engine, ...(patience && { patience }) });
  onTestFinished(() => server.close());
  const askIn =
    (mode: Mode): Ask =>
    (content, ...more) =>
      requestOf(server, tokens[mode], content, more);
  const tokens = { record: server.admit(aRun("record")).token, strict: server.admit(aRun("strict")).token };
  return { server, ask: askIn("record"), askAgain: askIn("strict") };
}

type Ask = (content: string, ...more: string[]) => string;
type Mode = "record" | "strict";

function requestOf({ port }: ReplayServer, token: string, content: string, more: readonly string[]): string {
  const asked = { model: "gpt-4o-mini", messages: [{ role: "user", content }] };
  const body = JSON.stringify({ ...asked, ...(content === "stream" && { stream: true }) });
  const [version = "1.1", ...headers] = more;
  return [
    `POST /${token}/openai/v1/chat/completions HTTP/${version}`,
    `host: 127.0.0.1:${port}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    ...headers,
    "",
    body,
  ].join("\r\n");
}

interface Opened {
  readonly socket: Socket;
  readonly received: () => string;
  readonly isClosed: () => boolean;
}

/** A connection with these first bytes. */
async function open({ port }: ReplayServer, bytes = ""): Promise<Opened> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let [received, isClosed] = ["", false];
  socket.on("data", (piece) => (received += piece.toString()));
  socket.on("error", () => {});
  socket.on("close", () => (isClosed = true));
  await new Promise((resolve) => socket.write(bytes, resolve));
  return { socket, received: () => received, isClosed: () => isClosed };
}

it("only a connection without calls for long is closed", async () => {
  const { server, ask } = await start({ idleMs: 2_000, checkMs: 20 });
  const silent = await open(server);
  const half = await open(server, ask("half").slice(0, -5));
  const waiting = await open(server, ask("never"));
  const busy = await open(server, ask("hi"));
  busy.socket.on("data", () => busy.socket.write(ask("hi")));
  const idle = await open(server, ask("hello"));

  await vi.waitUntil(idle.isClosed, { timeout: 600_000 });
  const heard = busy.received().length;
  await vi.waitUntil(() => busy.received().length > heard, { timeout: 600_000 });

  expect(idle.received()).toMatch(/^HTTP\/1\.1 200 /);
  expect([silent, half, waiting, busy].map(({ isClosed }) => isClosed())).toEqual(Array(4).fill(false));
});

/** Returns the connection headers in the received heads. */
function stays({ received }: Opened): readonly string[] {
  return [...received().matchAll(/^(?:connection|keep-alive): .*$/gim)]
    .map(([line]) => line.toLowerCase())
    .sort();
}

const STAYS = ["connection: keep-alive", "keep-alive: timeout=65"];

it.each(["hello", "long", "stream"])(
  "the reply to %s announces how long its connection stays",
  async (content) => {
    const { server, ask, askAgain } = await start();

    const recording = await open(server, ask(content, "1.1", "connection: close"));
    await vi.waitUntil(recording.isClosed, { timeout: 600_000 });
    const [forwarded, replayed] = [await open(server, ask(content)), await open(server, askAgain(content))];

    await vi.waitUntil(() => [forwarded, replayed].every((one) => stays(one).length > 0), {
      timeout: 600_000,
    });
    expect([recording, forwarded, replayed].map(stays)).toEqual([["connection: close"], STAYS, STAYS]);
  },
);

it("a reply that ends with its connection announces nothing else", async () => {
  const { server, ask } = await start();
  const old = await open(server, ask("stream", "1.0", "connection: keep-alive"));
  const unread = await open(server, ask("hi").replace(/content-length: \d+/, "content-length: 99999999"));

  await vi.waitUntil(() => old.isClosed() && unread.isClosed(), { timeout: 600_000 });

  expect(unread.received()).toMatch(/^HTTP\/1\.1 413 /);
  expect([old, unread].map(stays)).toEqual([["connection: close"], ["connection: close"]]);
});
