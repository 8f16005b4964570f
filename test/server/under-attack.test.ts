import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDeck } from "../../src/deck/deck.ts";
import { aFolder } from "../support/a-folder.ts";
import { aServer } from "../support/a-server.ts";
import { chatEvent } from "../support/an-engine.ts";
import { casesOf } from "../support/cases.ts";
import { aListeningServer, chatBody, drip, TOKEN } from "./a-listening-server.ts";

const MIB = 1_048_576;
const JSON_TYPE = { "content-type": "application/json" };

it.each([
  ["head", { headMs: 1_000, requestMs: 3_600_000 }],
  ["body", { headMs: 900, requestMs: 1_000 }],
])(
  "a client that takes its time with its %s gets an error, and others are served meanwhile",
  async (part, times) => {
    const { open, chat, head } = await aListeningServer({ patience: { ...times, checkMs: 20 } });
    const slow = await open(
      part === "head" ? "POST /x HTTP/1.1\r\n" : `${head("content-length: 100000")}\r\n`,
    );
    drip(slow.socket, part === "head" ? "x: 1\r\n" : " ");

    expect((await chat()).status).toBe(200);
    const told = await slow.told;

    expect(told).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(told).toContain("did not arrive completely in time");
  },
);

describe("a request that is too much", () => {
  it("is 65 MiB in chunks, of unsaid length: 413, and the next one is served", async () => {
    const { open, chat, head } = await aListeningServer();
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(MIB, 0x20), Buffer.from("\r\n")]);
    const { socket, told } = await open(`${head("transfer-encoding: chunked")}\r\n`);

    socket.write(Buffer.concat(Array.from({ length: 65 }, () => chunk)));

    expect(await told).toMatch(/^HTTP\/1\.1 413 [^]*x-tapedeck-outcome: refused[^]*larger than 64 MiB/);
    expect((await chat()).status).toBe(200);
  });

  it("is a body that is no chunk in the middle: 400", async () => {
    const { open, head } = await aListeningServer();
    const { told } = await open(`${head("transfer-encoding: chunked")}\r\n5\r\n{"a":\r\nzz\r\n`);

    expect(await told).toMatch(/^HTTP\/1\.1 400 [^]*x-tapedeck-outcome: refused/);
  });
});

describe("an upstream that never ends", () => {
  /** A server of a deck over this upstream, and a client that has the first bytes of its stream. */
  async function aClientOf(origin: string) {
    const deck = openDeck({ dir: join(aFolder(), ".tapedeck"), upstreams: { openai: origin } });
    onTestFinished(() => deck.close());
    const server = await deck.listen();
    const { url } = server.admit(deck.createRun("record"), TOKEN);
    const ask = (at = url) =>
      fetch(`${at}/openai/v1/chat/completions`, {
        method: "POST",
        headers: JSON_TYPE,
        body: chatBody("forever?"),
      });
    return { deck, server, ask };
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
    const { ask } = await aClientOf(origin);
    const { body } = await ask();

    await body?.cancel();

    await expect(seen.closed).resolves.toBeUndefined();
  });

  it("is read no faster than its client reads, and others are served meanwhile", async () => {
    const { origin, seen } = await anEndlessUpstream();
    const { deck, server, ask } = await aClientOf(origin);
    // A body whose response is collected is cancelled.
    const response = await ask();

    const strict = server.admit(deck.createRun("strict")).url;
    let before = -1;
    // Each miss takes longer than a memory copy: an upstream that is still read has moved on.
    while (seen.bytes !== before) {
      before = seen.bytes;
      for (let at = 0; at < 50; at += 1) expect((await ask(strict)).status).toBe(404);
      if (before > 128 * MIB) break;
    }

    expect(seen.bytes).toBeLessThan(128 * MIB);
    console.log(`▸ an endless stream whose client does not read: ${Math.round(seen.bytes / MIB)} MiB taken`);
    await response.body?.cancel();
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
        for (const mib of [64, 64, 64, 64, 1]) response.write(gzipSync(Buffer.alloc(mib * MIB, 0x20)));
        response.end();
      });
      const { ask } = await aClientOf(origin);

      const reply = await ask();
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
