import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createBodyRoom, type BodyRoom } from "../../../src/server/http/request-body.ts";
import type { OutgoingRequest } from "../../../src/core/answer/source/source.ts";
import { anEngine, chatReply } from "../../support/an-engine.ts";
import { send } from "../../support/http-client.ts";
import { aListeningServer, chatBody, TOKEN } from "../a-listening-server.ts";
import { CHAT, ZSTD_CHAT, zstdBomb } from "../../support/zstd.ts";

const MIB = 1_048_576;
const large = (at: number): string => chatBody(`${at} ${"x".repeat(2 * MIB)}`);

/** An upstream that holds large calls until the test releases them, and counts the waiting ones. */
function anUpstreamThatHolds() {
  const held: (() => void)[] = [];
  const seen = { most: 0, now: 0 };
  const engine = anEngine(async ({ body }: OutgoingRequest) => {
    if (body.byteLength < MIB) return chatReply("small");
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await new Promise<void>((resolve) => held.push(resolve));
    seen.now -= 1;
    return chatReply("large");
  });
  return { engine, held, seen };
}

describe("large bodies", () => {
  it.each([
    ["of an announced length", (body: string) => ({ body, headers: {} }), 3],
    // One that may become 64 MiB is let in alone; once it is whole it gives back what it does not need.
    ["of unsaid length", (body: string) => ({ body, headers: { "transfer-encoding": "chunked" } }), 4],
    [
      "that are compressed",
      (body: string) => ({ body: gzipSync(body), headers: { "content-encoding": "gzip" } }),
      4,
    ],
  ])("%s wait for each other, and small ones do not", async (_what, sent, together) => {
    const { engine, held, seen } = anUpstreamThatHolds();
    const { server, chat } = await aListeningServer({ limits: { bodyBytes: 7 * MIB } }, engine);
    const url = `${server.origin}/${TOKEN}/openai/v1/chat/completions`;
    const calls = Array.from({ length: 8 }, (_, at) => {
      const { body, headers } = sent(large(at));
      return send(url, { headers: { "content-type": "application/json", ...headers }, body });
    });

    for (let answered = 0; answered < 8; answered += 1) {
      await expect.poll(() => held.length).toBeGreaterThan(0);
      expect((await chat(`small ${answered}`)).status).toBe(200);
      held.shift()?.();
    }

    const replies = await Promise.all(calls);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(seen.most).toBeLessThanOrEqual(together);
  });

  it("of clients that disconnect midway delay no others", async () => {
    const { engine, held } = anUpstreamThatHolds();
    const { server, open, head } = await aListeningServer({ limits: { bodyBytes: 32 * MIB } }, engine);
    const leaving = await open(`${head(`content-length: ${32 * MIB}`)}\r\n`);
    // More than the system keeps for two sockets: some of it was read, and has its room.
    await new Promise((resolve) => leaving.socket.write("x".repeat(24 * MIB), resolve));

    const call = send(`${server.origin}/${TOKEN}/openai/v1/chat/completions`, {
      headers: { "content-type": "application/json" },
      body: large(1),
    });
    leaving.socket.destroy();
    await expect.poll(() => held.length).toBe(1);
    held.shift()?.();

    expect((await call).status).toBe(200);
  });
});

/** By a server that goes on afterwards. */
async function answerTo(encoding: string, body: Uint8Array) {
  const { server, chat } = await aListeningServer();
  const headers = { "content-type": "application/json", "content-encoding": encoding };
  const { status, text } = await send(`${server.origin}/${TOKEN}/openai/v1/chat/completions`, {
    headers,
    body,
  });
  expect((await chat("hi")).status).toBe(200);
  return [status, text];
}

it.each([
  ["gzip", gzipSync(CHAT)],
  ["deflate", deflateSync(CHAT)],
  ["br", brotliCompressSync(CHAT)],
  ["zstd", ZSTD_CHAT],
])("a body in %s that is cut off anywhere is reported as such", async (encoding, body) => {
  for (const length of [1, body.byteLength >> 1, body.byteLength - 9, body.byteLength - 1])
    expect(await answerTo(encoding, body.subarray(0, length))).toEqual([
      400,
      expect.stringContaining(`not valid ${encoding}`),
    ]);
});

describe("a body in Zstandard", () => {
  it("is decoded, whatever this Node knows", async () => {
    const { server, engine } = await aListeningServer();

    const { status } = await send(`${server.origin}/${TOKEN}/openai/v1/chat/completions`, {
      headers: { "content-type": "application/json", "content-encoding": "zstd" },
      body: ZSTD_CHAT,
    });

    expect(status).toBe(200);
    expect(engine.sent.map(({ body }) => Buffer.from(body).toString())).toEqual([CHAT]);
  });

  it("that is invalid is reported as such", async () => {
    expect(await answerTo("zstd", Buffer.from("{}"))).toEqual([
      400,
      expect.stringContaining("not valid zstd"),
    ]);
  });

  it("of 1 GiB in 32 KiB is refused, and takes only the memory of the allowed size", async () => {
    const { server } = await aListeningServer();
    const before = process.memoryUsage.rss();
    let peak = before;
    const watching = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 1);

    const { status } = await send(`${server.origin}/${TOKEN}/openai/v1/chat/completions`, {
      headers: { "content-type": "application/json", "content-encoding": "zstd" },
      body: zstdBomb(1_024),
    });
    clearInterval(watching);

    expect(status).toBe(413);
    expect(peak - before).toBeLessThan(512 * MIB);
    console.log(`▸ 1 GiB of zstd in 32 KiB: ${Math.round((peak - before) / MIB)} MiB of memory at most`);
  });
});

describe("room", () => {
  const asking = (room: BodyRoom) => {
    const taken: string[] = [];
    const take = (name: string, bytes: number) => {
      const over = new AbortController();
      const lease = room.take(bytes, over.signal);
      lease.then(
        () => taken.push(name),
        () => {},
      );
      return { lease, free: () => over.abort() };
    };
    return { taken, take };
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it("is given in the order of asking, to as many as fit, and once to each", async () => {
    const { taken, take } = asking(createBodyRoom(10));
    const [a, b, c] = [take("a", 6), take("b", 6), take("c", 1), take("d", 20)];

    await settled();
    expect(taken).toEqual(["a"]);
    (await a.lease).shrink(4);
    await settled();
    expect(taken).toEqual(["a", "b"]);
    a.free();
    a.free();
    await settled();
    expect(taken).toEqual(["a", "b", "c"]);
    b.free();
    await settled();
    expect(taken).toHaveLength(3);
    c.free();
    await settled();
    expect(taken).toEqual(["a", "b", "c", "d"]);
  });

  it("is not held by who stopped waiting", async () => {
    const { taken, take } = asking(createBodyRoom(10));
    const [first, second] = [take("first", 10), take("second", 10), take("third", 10)];

    second.free();
    first.free();
    await settled();

    expect(taken).toEqual(["first", "third"]);
  });
});
