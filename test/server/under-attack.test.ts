import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openDeck, type Deck } from "../../src/deck/deck.ts";
import { listen, type ListenOptions, type ReplayServer } from "../../src/server/server.ts";
import { aFolder } from "../support/a-folder.ts";
import { aServer } from "../support/a-server.ts";
import { anEngine, aRun, chatEvent } from "../support/an-engine.ts";
import { casesOf } from "../support/cases.ts";
import { send } from "../support/http-client.ts";

const MIB = 1_048_576;
const JSON_TYPE = { "content-type": "application/json" };
const chatBody = (content: string): string =>
  JSON.stringify({ model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content }] });

let server: ReplayServer;
let url: string;

async function start(options: Partial<ListenOptions> = {}): Promise<void> {
  server = await listen({ engine: anEngine().engine, ...options });
  url = server.admit(aRun("record"), "token-of-the-test").url;
  onTestFinished(() => server.close());
}

const chat = (content = "hi", base = url) =>
  send(`${base}/openai/v1/chat/completions`, {
    headers: JSON_TYPE,
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content }] }),
  });

/** Opens a connection with these first bytes; `ended` resolves with all received bytes. */
function open(bytes = ""): Promise<{ readonly socket: Socket; readonly ended: Promise<string> }> {
  return new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let received = "";
    socket.on("data", (chunk) => (received += chunk.toString()));
    // A peer that is cut off while writing may have read the reply or not; the received text shows it.
    socket.on("error", () => {});
    const ended = new Promise<string>((end) => socket.once("close", () => end(received)));
    socket.once("connect", () => {
      socket.write(bytes);
      resolve({ socket, ended });
    });
  });
}

const head = (...more: string[]): string =>
  [
    "POST /token-of-the-test/openai/v1/chat/completions HTTP/1.1",
    `host: 127.0.0.1:${server.port}`,
    "content-type: application/json",
    ...more,
    "",
  ].join("\r\n");

/** Writes a byte now and then, for as long as anybody listens. */
function drip(socket: Socket, text: () => string): void {
  const dripping = setInterval(() => void (socket.writable && socket.write(text())), 5);
  socket.once("close", () => clearInterval(dripping));
  onTestFinished(() => clearInterval(dripping));
}

const patience = { headMs: 1_000, requestMs: 2_000, checkMs: 20 };

describe("a client that takes its time", () => {
  beforeEach(() => start({ patience }));

  it("with its head gets an error and is cut off while others are served", async () => {
    await start({ patience: { ...patience, requestMs: 3_600_000 } });
    const slow = await open("POST /x HTTP/1.1\r\n");
    drip(slow.socket, () => "x: 1\r\n");

    expect((await chat()).status).toBe(200);
    const told = await slow.ended;

    expect(told).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(told).toMatch(/^x-tapedeck-outcome: refused\r$/m);
    expect(told).toContain("did not arrive completely in time");
  });

  it("with its body gets an error and is cut off while others are served", async () => {
    const slow = await open(`${head("content-length: 100000")}\r\n`);
    drip(slow.socket, () => " ");

    expect((await chat()).status).toBe(200);
    const told = await slow.ended;

    expect(told).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(told).toMatch(/^x-tapedeck-outcome: refused\r$/m);
  });

  it("with nothing at all is cut off", async () => {
    const silent = await open();

    expect(await silent.ended).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe("a request that is too much", () => {
  beforeEach(() => start());

  it.each([
    [
      "65 MiB by its content length",
      () => ({ first: head(`content-length: ${65 * MIB}`), body: Buffer.alloc(65 * MIB, 0x20) }),
    ],
    [
      "65 MiB in chunks, of unsaid length",
      () => ({ first: head("transfer-encoding: chunked"), body: Buffer.concat(chunksOf(65)) }),
    ],
    [
      "a zip bomb of 1 GiB",
      () => {
        const bomb = Buffer.concat(Array.from({ length: 16 }, () => ZIPPED_64_MIB));
        return { first: head("content-encoding: gzip", `content-length: ${bomb.byteLength}`), body: bomb };
      },
    ],
  ] as const)("%s: 413, and the next one is served", async (_, request) => {
    const { first, body } = request();
    const { socket, ended } = await open(`${first}\r\n`);

    socket.write(body);
    const told = await ended;

    expect(told).toMatch(/^HTTP\/1\.1 413 /);
    expect(told).toMatch(/^x-tapedeck-outcome: refused\r$/m);
    expect(told).toContain("larger than 64 MiB");
    expect((await chat()).status).toBe(200);
  });

  it("20,000 short headers: 431", async () => {
    const flood = Array.from({ length: 20_000 }, (_, at) => `x-${at}: 1\r\n`).join("");
    const { ended } = await open(`${head()}${flood}\r\n`);

    expect(await ended).toMatch(/^HTTP\/1\.1 431 /);
    expect((await chat()).status).toBe(200);
  });

  it("a body that is no chunk in the middle: 400", async () => {
    const { ended } = await open(`${head("transfer-encoding: chunked")}\r\n5\r\n{"a":\r\nzz\r\n`);

    const told = await ended;

    expect(told).toMatch(/^HTTP\/1\.1 400 /);
    expect(told).toMatch(/^x-tapedeck-outcome: refused\r$/m);
  });
});

const ZIPPED_64_MIB = gzipSync(Buffer.alloc(64 * MIB, 0x20));
const ZIPPED_1_MIB = gzipSync(Buffer.alloc(MIB, 0x20));

function chunksOf(count: number): readonly Buffer[] {
  const chunk = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(MIB, 0x20), Buffer.from("\r\n")]);
  return [...Array.from({ length: count }, () => chunk), Buffer.from("0\r\n\r\n")];
}

describe("an upstream that never ends", () => {
  async function aDeckOver(origin: string): Promise<Deck> {
    const deck = openDeck({ dir: join(aFolder(), ".tapedeck"), upstreams: { openai: origin } });
    onTestFinished(() => deck.close());
    server = await deck.listen();
    url = server.admit(deck.createRun("record"), "token-of-the-test").url;
    return deck;
  }

  /** Streams words without end, as fast as they are taken; counts them. */
  async function anEndlessUpstream() {
    const seen = { bytes: 0, closed: Promise.resolve() };
    const event = chatEvent("x".repeat(60_000));
    const origin = await aServer((request, response) => {
      seen.closed = new Promise((resolve) => response.once("close", resolve));
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      const more = (): void => {
        while (!response.destroyed) {
          seen.bytes += event.length;
          if (!response.write(event)) return void response.once("drain", more);
        }
      };
      more();
    });
    return { origin, seen };
  }

  it("is left when its client leaves", async () => {
    const { origin, seen } = await anEndlessUpstream();
    await aDeckOver(origin);
    const body = chatBody("forever?");
    const { socket, ended } = await open(`${head(`content-length: ${body.length}`)}\r\n${body}`);
    await new Promise((resolve) => socket.once("data", resolve));

    socket.destroy();
    await ended;
    await seen.closed;

    expect((await chat("hi", `${server.origin}/wrong`)).status).toBe(403);
  });

  it("is read no faster than its client reads, and others are served meanwhile", async () => {
    const { origin, seen } = await anEndlessUpstream();
    const deck = await aDeckOver(origin);
    const body = chatBody("forever?");
    const { socket } = await open(`${head(`content-length: ${body.length}`)}\r\n${body}`);
    await new Promise((resolve) => socket.once("data", resolve));

    socket.pause();
    const strict = server.admit(deck.createRun("strict")).url;
    let before = -1;
    // Each miss takes longer than a memory copy: an upstream that is still read has moved on.
    while (seen.bytes !== before) {
      before = seen.bytes;
      for (let at = 0; at < 50; at += 1) expect((await chat("hi", strict)).status).toBe(404);
      if (before > 128 * MIB) break;
    }

    expect(seen.bytes).toBeLessThan(128 * MIB);
    console.log(`▸ an endless stream whose client does not read: ${Math.round(seen.bytes / MIB)} MiB taken`);
    socket.destroy();
    await seen.closed;
  });

  const A_BOMB = ["a JSON answer of 257 MiB out of a zip bomb", "application/json"] as const;
  const AN_EVENT = ["a stream of 257 MiB that is one event", "text/event-stream"] as const;

  it.each(casesOf({ quick: [], long: [A_BOMB, AN_EVENT] }))(
    "%s is forwarded whole, and is not recorded",
    async (what, type) => {
      const origin = await aServer((request, response) => {
        request.resume();
        response.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
        for (let at = 0; at < 4; at += 1) response.write(ZIPPED_64_MIB);
        response.end(ZIPPED_1_MIB);
      });
      await aDeckOver(origin);
      const body = chatBody("a bomb?");

      const reply = await fetch(`${url}/openai/v1/chat/completions`, {
        method: "POST",
        headers: JSON_TYPE,
        body,
      });
      let bytes = 0;
      let peak = 0;
      for await (const chunk of reply.body ?? []) {
        bytes += (chunk as Uint8Array).byteLength;
        peak = Math.max(peak, process.memoryUsage.rss());
      }

      expect(bytes).toBe(257 * MIB);
      expect(reply.headers.get("x-tapedeck-outcome")).toBe("forwarded");
      console.log(`▸ ${what}: ${Math.round(peak / MIB)} MiB of memory at most, in the process of the tests`);
    },
  );
});
