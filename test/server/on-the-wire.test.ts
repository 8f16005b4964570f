import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDeck, type Deck } from "../../src/deck/deck.ts";
import type { ReplayServer } from "../../src/server/server.ts";
import { aFolder } from "../support/a-folder.ts";
import { aRecording, bytes } from "../support/a-recording.ts";

const REPLY = `{"text":"${"hälfte ".repeat(20)}"}`;
const QUESTIONS = ["one", "two", "drei, über 🎉"];

interface Replaying {
  readonly deck: Deck;
  /** Bytes of a request for one of the questions. */
  readonly ask: (question: string, options?: ConnectionOptions) => Buffer;
  readonly server: ReplayServer;
  readonly port: number;
}

interface ConnectionOptions {
  readonly start?: string;
  readonly headers?: readonly string[];
}

async function replaying(reply = {}): Promise<Replaying> {
  const deck = openDeck({ dir: join(aFolder(), ".tapedeck") });
  onTestFinished(() => deck.close());
  const recordings = QUESTIONS.map((question) =>
    aRecording({ question, reply: { body: bytes(REPLY.replace("{", `{"to":"${question}",`)), ...reply } }),
  );
  for (const recording of recordings) await deck.store.save(recording);
  const server = await deck.listen();
  const { token } = server.admit(deck.createRun("strict"));
  const ask: Replaying["ask"] = (question, { start, headers = [] } = {}) => {
    const { path, body } = recordings[QUESTIONS.indexOf(question)]?.request ?? { path: "" };
    const lines = [
      start ?? `POST /${token}/openai${path} HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      "Content-Type: application/json",
      ...headers,
    ];
    const isChunked = headers.some((header) => /^transfer-encoding/i.test(header));
    if (!isChunked) lines.push(`Content-Length: ${body?.byteLength ?? 0}`);
    const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
    return isChunked ? head : Buffer.concat([head, body ?? Buffer.alloc(0)]);
  };
  return { deck, ask, server, port: server.port };
}

/** Opens a connection; `read` returns the received text once a pattern occurs in it that many times. */
async function connected(
  port: number,
): Promise<{ socket: Socket; read: (whole: RegExp, times?: number) => Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const read = async (whole: RegExp, times = 1): Promise<string> => {
    while (text.split(whole).length <= times) await once(socket, "data");
    const all = text;
    text = "";
    return all;
  };
  return { socket, read };
}
const END = /"}$/;

const bodyOf = (text: string): unknown => JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));

describe("a request", () => {
  it("that arrives byte by byte is the same call", async () => {
    const { ask, port } = await replaying();
    const { socket, read } = await connected(port);
    socket.setNoDelay(true);

    for (const byte of ask("drei, über 🎉")) {
      socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(bodyOf(await read(END))).toMatchObject({ to: "drei, über 🎉" });
  });

  it("in chunks with a trailer is the same call, and so is the next on its connection", async () => {
    const { ask, port } = await replaying();
    const { socket, read } = await connected(port);
    const whole = ask("two");
    const body = whole.subarray(whole.indexOf("\r\n\r\n") + 4);
    const chunk = (part: Buffer): Buffer =>
      Buffer.concat([Buffer.from(`${part.byteLength.toString(16)}\r\n`), part, Buffer.from("\r\n")]);

    socket.write(ask("two", { headers: ["Transfer-Encoding: chunked", "Trailer: x-sum"] }));
    socket.write(chunk(body.subarray(0, 7)));
    socket.write(chunk(body.subarray(7)));
    socket.write("0\r\nX-Sum: 1\r\n\r\n");
    const first = await read(END);
    socket.write(ask("one"));

    expect([first, await read(END)].map(bodyOf)).toMatchObject([{ to: "two" }, { to: "one" }]);
  });

  it("sent before the reply to the last one is answered after it, each with its own", async () => {
    const { ask, port } = await replaying();
    const { socket, read } = await connected(port);
    const asked = Array.from({ length: 30 }, (_, index) => QUESTIONS[index % 3] ?? "");

    socket.write(Buffer.concat(asked.map((question) => ask(question))));
    socket.end();
    const all = await read(/"}/, asked.length);

    const answered = [...all.matchAll(/"to":"([^"]*)"/g)].map(([, to]) => to);
    expect(answered).toEqual(asked);
    expect(all.match(/HTTP\/1.1 200 OK\r\n/g)).toHaveLength(asked.length);
  });

  it("that waits for 100 Continue gets it", async () => {
    const { ask, port } = await replaying();
    const { socket, read } = await connected(port);
    const whole = ask("one", { headers: ["Expect: 100-continue"] });
    const bodyAt = whole.indexOf("\r\n\r\n") + 4;

    socket.write(whole.subarray(0, bodyAt));
    expect(await read(/\r\n\r\n$/)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write(whole.subarray(bodyAt));

    expect(bodyOf(await read(END))).toMatchObject({ to: "one" });
  });

  it("with another expectation is refused", async () => {
    const { ask, port } = await replaying();
    const { socket, read } = await connected(port);

    socket.write(ask("one", { headers: ["Expect: a-miracle"] }));

    expect(await read(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 417 /);
  });

  it("that its client leaves in the middle is no call, and the next one is served", async () => {
    const { deck, ask, server, port } = await replaying();
    const calls: unknown[] = [];
    deck.engine.onCall((event) => calls.push(event));
    const leaving = await connected(port);
    const half = ask("one").subarray(0, -10);

    leaving.socket.write(half);
    await expect.poll(() => server.requests).toBe(1);
    leaving.socket.destroy();
    await once(leaving.socket, "close");
    const { socket, read } = await connected(port);
    socket.write(ask("two"));

    expect(bodyOf(await read(END))).toMatchObject({ to: "two" });
    expect(calls).toHaveLength(1);
  });
});
