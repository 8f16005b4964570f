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

    const replies = await times(casesOf({ quick: 100, long: 1_000 }), () =>
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
    await times(casesOf({ quick: 100, long: 600 }), (at) => open(at % 2 === 0 ? "" : STRANGE));

    const replies = await times(300, (at) => chat(`${at}`));

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
