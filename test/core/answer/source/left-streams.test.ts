import { describe, expect, it } from "vitest";
import type { Limits } from "../../../../src/core/answer/budget/limits.ts";
import type { Answer, Mode } from "../../../../src/core/call/call.ts";
import {
  anEngine,
  aRun,
  chatCall,
  chatEvent,
  chatReply,
  DONE,
  streamReply,
  textOf,
} from "../../../support/an-engine.ts";
import { aGate, until } from "../../../support/a-gate.ts";

interface Leaving {
  readonly mode?: Mode;
  readonly limits?: Limits;
}

/** A call whose client has had the first event of its stream, and leaves by `leave`. */
async function aClientWithin({ mode = "record", limits = {} }: Leaving = {}) {
  const stream = aGate();
  const under = anEngine(
    ({ signal }) => {
      signal.addEventListener("abort", () => stream.end());
      return streamReply(stream.chunks);
    },
    { budget: { limits: () => limits } },
  );
  const run = aRun(mode);
  const gone = new AbortController();
  stream.send(chatEvent("first"));
  const answering = under.engine.answer(chatCall(run, "hi", { stream: true }, { signal: gone.signal }));
  await until(() => under.clock.waits.length > 0);
  under.clock.advance(5);
  const answer = await answering;
  const reader = (answer.reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  await reader.next();
  const ways = {
    "closing its connection": () => gone.abort(),
    "leaving its loop": () => void reader.return?.(),
  };
  return { ...under, run, stream, answer, ways, leave: ways["closing its connection"] };
}

const replayed = async (answer: Answer): Promise<string> => textOf(answer);

describe("a stream that its client leaves", () => {
  it.each(["closing its connection", "leaving its loop"] as const)(
    "by %s is read to its end and recorded, and replayed whole",
    async (way) => {
      const { engine, stream, answer, ways, sent, store } = await aClientWithin();

      ways[way]();
      stream.send(chatEvent("second"), DONE);
      stream.end();

      expect(await answer.settled).toMatchObject({ outcome: "recorded" });
      expect(sent[0]?.signal.aborted).toBe(false);
      expect(await store.list()).toHaveLength(1);
      const again = await engine.answer(chatCall(aRun("strict"), "hi", { stream: true }));
      expect(await replayed(again)).toBe(chatEvent("first") + chatEvent("second") + DONE);
    },
  );

  it("is abandoned as well when it is not being recorded", async () => {
    const { answer, leave, sent, store } = await aClientWithin({ mode: "live" });

    leave();

    expect(await answer.settled).toMatchObject({ outcome: "forwarded" });
    expect(sent[0]?.signal.aborted).toBe(true);
    expect(await store.list()).toEqual([]);
  });

  it("is left when it does not end within two minutes", async () => {
    const { answer, leave, clock, sent, store } = await aClientWithin();

    leave();
    await until(() => clock.waits.includes(120_000));
    clock.advance(120_000);

    expect((await answer.settled).reason).toContain("did not end within two minutes");
    expect(sent[0]?.signal.aborted).toBe(true);
    expect(await store.list()).toEqual([]);
  });

  it("is left when more than 16 MiB come", async () => {
    const { answer, leave, stream, sent } = await aClientWithin();

    leave();
    for (let mib = 0; mib < 18; mib += 1) stream.send(chatEvent("x".repeat(1_048_576)));

    expect((await answer.settled).reason).toContain("larger than 16 MiB");
    expect(sent[0]?.signal.aborted).toBe(true);
  });

  it("is left where the spending limit is reached, but not for the number of calls", async () => {
    const counted = await aClientWithin({ limits: { calls: 1 } });
    counted.leave();
    counted.stream.send(DONE);
    counted.stream.end();
    const spent = await aClientWithin({ limits: { tokens: 10 } });
    spent.run.spent.total = { ...spent.run.spent.total, inputTokens: 20 };

    spent.leave();

    expect((await counted.answer.settled).outcome).toBe("recorded");
    expect((await spent.answer.settled).reason).toContain("the spending limit is reached");
  });

  it("is not recorded when it breaks off", async () => {
    const { answer, leave, stream, store } = await aClientWithin();

    leave();
    stream.end();

    expect((await answer.settled).outcome).toBe("forwarded");
    expect(await store.list()).toEqual([]);
  });
});

it("a client that leaves before it saw anything ends the call, and its next try has its number", async () => {
  const gone = new AbortController();
  let isFirst = true;
  const { engine } = anEngine(({ signal }) => {
    if (!isFirst) return chatReply("one");
    isFirst = false;
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("aborted")));
      gone.abort();
    });
  });
  const run = aRun("record");

  const first = await engine.answer(chatCall(run, "hi", {}, { signal: gone.signal }));
  const second = await engine.answer(chatCall(run, "hi"));
  await textOf(second);

  expect((await first.settled).outcome).not.toBe("recorded");
  expect((await second.settled).entry).not.toMatch(/\.2\.json$/);
});
