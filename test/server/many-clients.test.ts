import { describe, expect, it } from "vitest";
import { aListeningServer, chatBody } from "./a-listening-server.ts";
import { aRun } from "../support/an-engine.ts";
import { casesOf } from "../support/cases.ts";
import { send } from "../support/http-client.ts";

const STRANGE = "POST /x HTTP/1.1\r\n";
const times = <T>(count: number, one: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => one(at)));

/** Calls that a client made and that wait for the end of their bodies. */
const unfinished = "content-length: 9";

describe("a suite with a token", () => {
  it("has many parallel calls answered in strict replay, each over its own connection", async () => {
    const { server, chat } = await aListeningServer();
    await chat("recorded");
    const { url } = server.admit(aRun("strict"));

    const replies = await times(casesOf({ quick: 300, long: 1_000 }), () =>
      send(`${url}/openai/v1/chat/completions`, {
        headers: { "content-type": "application/json" },
        body: chatBody("recorded"),
      }),
    );

    const outcomes = replies.map(({ headers }) => headers["x-tapedeck-outcome"]);
    expect(new Set(outcomes)).toEqual(new Set(["replayed"]));
  });

  it("is served while 300 of its calls are under way", async () => {
    const { open, head, chat } = await aListeningServer();
    const busy = await times(300, () => open(`${head(unfinished)}\r\n`));

    expect((await chat()).status).toBe(200);
    busy[0]?.socket.write("{}       ");

    expect(await busy[0]?.next()).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("is served while others hold as many silent connections as they like", async () => {
    const { open, chat } = await aListeningServer();
    await times(casesOf({ quick: 300, long: 600 }), (at) => open(at % 2 === 0 ? "" : STRANGE));

    const replies = await times(300, (at) => chat(`${at}`));

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

describe("a connection without a token", () => {
  const limits = { strangers: 3, momentMs: 0 };

  it("makes room for a new one and gets the reason; the oldest goes first", async () => {
    const { open, chat } = await aListeningServer({ limits });
    const [first, second, third] = [await open(), await open(STRANGE), await open()];

    const fourth = await open();
    const told = await first.told;
    expect((await chat()).status).toBe(200);
    await second.told;

    expect(told).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(told).toMatch(/^x-tapedeck-outcome: refused\r$/m);
    expect(told).toContain("its connection sent no token");
    expect([third.socket.destroyed, fourth.socket.destroyed]).toEqual([false, false]);
  });

  it("has a moment to bring one, unless there are far too many", async () => {
    const { open } = await aListeningServer({
      limits: { strangers: 1, momentMs: 1_000_000, newcomers: 3 },
      // Or a head that does not come would end one as well.
      patience: { headMs: 3_600_000, requestMs: 3_600_000 },
    });
    const opened = await times(3, () => open());

    const fourth = await open();
    await Promise.race(opened.map(({ told }) => told));

    expect(opened.filter(({ socket }) => socket.readableEnded)).toHaveLength(1);
    expect(fourth.socket.readableEnded).toBe(false);
  });

  it("makes room however wrong the tokens are that it tries", async () => {
    const { open, chat, server } = await aListeningServer({ limits });
    const wrong = `POST /wrong/openai/v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\ncontent-length: 9\r\n\r\n`;
    const guessing = await times(3, () => open(wrong));

    for (let at = 0; at < 3; at += 1) expect((await chat(`${at}`)).status).toBe(200);

    await Promise.all(guessing.map(({ told }) => told));
  });

  it("keeps connections with a token", async () => {
    const { open, head } = await aListeningServer({ limits: { ...limits, newcomers: 3 } });
    const body = chatBody("slowly");
    const busy = await open(`${head(`content-length: ${body.length}`, "Expect: 100-continue")}\r\n`);
    await busy.next();

    const strangers = await times(20, () => open());
    await Promise.race(strangers.map(({ told }) => told));
    busy.socket.write(body);

    expect(await busy.next()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

it("connections that are idle make room when very many were opened", async () => {
  const patience = { idleMs: 3_600_000 };
  const { open, head, chat } = await aListeningServer({ limits: { clients: 4 }, patience });
  let ended = 0;
  await times(4, async () => {
    const { next, told } = await open(`${head("content-length: 2")}\r\n{}`);
    void told.then(() => (ended += 1));
    await next();
  });

  expect((await chat()).status).toBe(200);

  await expect.poll(() => ended).toBe(4);
});
