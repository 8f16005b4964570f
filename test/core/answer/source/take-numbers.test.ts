import { describe, expect, it } from "vitest";
import type { Run } from "../../../../src/core/call/call.ts";
import type { Engine } from "../../../../src/core/answer/engine.ts";
import { createMemoryStore } from "../../../../src/storage/memory-store.ts";
import type { IncomingReply } from "../../../../src/core/answer/source/source.ts";
import {
  anEngine,
  aRun,
  chatCall,
  chatReply,
  textOf,
  type EngineUnderTest,
  encode,
} from "../../../support/an-engine.ts";
import { until } from "../../../support/a-gate.ts";

const TESTS = ["a", "b", "c"].map((name) => ({ file: "agent.test.ts", name: [name] }));

/** The words of a chat reply, or the status and code with which it failed. */
async function said(engine: Engine, run: Run, question = "pick one"): Promise<string> {
  const answer = await engine.answer(chatCall(run, question));
  const reply = JSON.parse(await textOf(answer)) as Replied;
  return reply.choices?.[0]?.message.content ?? `${answer.reply.status} ${reply.error?.code ?? ""}`;
}

interface Replied {
  readonly choices?: readonly { readonly message: { readonly content: string } }[];
  readonly error?: { readonly code?: string };
}

/** An engine whose upstream holds its answers back until they are let go, by the order in which they were asked for. */
function holding(): EngineUnderTest & { readonly answer: (nth: number, reply: IncomingReply) => void } {
  const waiting: ((reply: IncomingReply) => void)[] = [];
  const under = anEngine(() => new Promise((resolve) => waiting.push(resolve)));
  return { ...under, answer: (nth, reply) => waiting[nth - 1]?.(reply) };
}

async function inTurn(engine: Engine, run: Run, count: number): Promise<string[]> {
  const all: string[] = [];
  for (let nth = 0; nth < count; nth += 1) all.push(await said(engine, run));
  return all;
}

const failed = (status: number): IncomingReply => ({
  ...chatReply("", status),
  body: encode(['{"error":{"code":"gone"}}']),
});
const filtered = (): IncomingReply => ({
  ...chatReply(""),
  body: encode(['{"error":{"code":"content_filter","message":"filtered"}}']),
});

/** Answers in short: words, a status, or "filtered", which is an error under status 200. */
const answersIn = (short: string): IncomingReply[] =>
  short.split(" ").map((word) => {
    if (word === "filtered") return filtered();
    return /^\d+$/.test(word) ? failed(Number(word)) : chatReply(word);
  });

/** Records one call after the other, each with the next of these answers, and replays as many. */
async function replayAfter(short: string) {
  const left = answersIn(short);
  const count = left.length;
  const under = anEngine(() => left.shift() ?? chatReply("too many"));
  const recorded = await inTurn(under.engine, aRun("record"), count);
  return { ...under, recorded, replayed: await inTurn(under.engine, aRun("strict"), count) };
}

describe("identical calls get the numbers of their arrival:", () => {
  it.each([
    [3, 2, 1],
    [2, 3, 1],
    [3, 1, 2],
    [1, 2, 3],
  ])(
    "answered in the order %i %i %i, they replay in the order in which they were asked",
    async (...order) => {
      const { engine, sent, answer } = holding();
      const run = aRun("record");

      const asked = [1, 2, 3].map(() => said(engine, run));
      await until(() => sent.length === 3);
      for (const nth of order) {
        answer(nth, chatReply(`answer ${nth}`));
        await asked[nth - 1];
      }

      expect(await inTurn(engine, aRun("strict"), 3)).toEqual(["answer 1", "answer 2", "answer 3"]);
    },
  );

  it("in each of several tests that run at once", async () => {
    const { engine, sent, answer } = holding();
    const runs = TESTS.map((test) => ({ ...aRun("record", test), id: "one run" }));
    const [first] = runs;
    for (const run of runs)
      Object.assign(run, { counts: first?.counts, firstRecorded: first?.firstRecorded });
    const withTest = (run: Run, index: number) => chatCall(run, "pick one", {}, { test: TESTS[index]! });

    const asked = runs.flatMap((run, index) =>
      [1, 2, 3].map(async () => textOf(await engine.answer(withTest(run, index)))),
    );
    await until(() => sent.length === 3);
    for (const nth of [3, 1, 2]) answer(nth, chatReply(`answer ${nth}`));
    await Promise.all(asked);

    expect(sent).toHaveLength(3);
    expect(await inTurn(engine, aRun("strict"), 3)).toEqual(["answer 1", "answer 2", "answer 3"]);
  });
});

describe("an answer that is not recorded moves no other take:", () => {
  it("an error under status 200 leaves its take free, and a call for it is a miss with that reason", async () => {
    const { replayed, events } = await replayAfter("one filtered three four");

    expect(replayed).toEqual(["one", "404 tapedeck_miss", "three", "four"]);
    const missed = events.find(({ outcome }) => outcome === "miss");
    expect(missed?.miss?.message).toContain("identical call 2 of 4");
    expect(missed?.miss?.message).not.toContain("Nothing of this kind");
  });

  it.each([400, 404, 410, 422])(
    "status %i leaves its place free before any success, and is a take after one, also the last",
    async (status) => {
      const before = await replayAfter(`${status} two`);
      const behind = await replayAfter(`one ${status} three ${status}`);

      expect(before.replayed).toEqual(["404 tapedeck_miss", "two"]);
      expect(behind.replayed).toEqual(["one", `${status} gone`, "three", `${status} gone`]);
    },
  );

  it.each([401, 403, 408, 409, 429, 500, 503, 529])(
    "status %i uses no take: the call is made again, and that one has its place",
    async (status) => {
      const before = await replayAfter(`${status} one two`);
      const behind = await replayAfter(`one ${status} two`);

      expect(before.replayed).toEqual(["one", "two", "two"]);
      expect(behind.replayed).toEqual(["one", "two", "two"]);
    },
  );

  it("a call that is made again takes the place of the one that failed, whatever was asked meanwhile", async () => {
    const { engine, sent, answer } = holding();
    const run = aRun("record");

    const asked = [1, 2].map(() => said(engine, run));
    await until(() => sent.length === 2);
    answer(1, chatReply("", 429));
    await asked[0];
    answer(2, chatReply("second"));
    await asked[1];
    const again = said(engine, run);
    await until(() => sent.length === 3);
    answer(3, chatReply("first"));
    await again;

    expect(await inTurn(engine, aRun("strict"), 2)).toEqual(["first", "second"]);
  });

  it("a later run in record mode fills the free take, and requests nothing else", async () => {
    const { engine, sent } = await replayAfter("one filtered three");
    const before = sent.length;

    const filled = await inTurn(engine, aRun("record"), 3);

    expect(filled).toEqual(["one", "too many", "three"]);
    expect(sent).toHaveLength(before + 1);
    expect(await inTurn(engine, aRun("strict"), 3)).toEqual(filled);
  });

  it("what strict missed before counts for nothing when the same run records", async () => {
    const { engine } = anEngine(() => chatReply("late"));
    const run = aRun("strict");
    await inTurn(engine, run, 2);
    run.mode = "record";

    await inTurn(engine, run, 1);

    expect(await inTurn(engine, aRun("strict"), 1)).toEqual(["late"]);
  });

  it("two processes that record the same call at once lose none of their answers", async () => {
    const store = createMemoryStore();
    const engines = [anEngine(() => chatReply("a"), { store }), anEngine(() => chatReply("b"), { store })];

    await Promise.all(engines.map(({ engine }) => said(engine, aRun("record"))));

    expect((await store.list()).map(({ take }) => take)).toEqual([1, 2]);
  });
});

it("a refresh replaces the take that was there, also by an error", async () => {
  const answers = [...answersIn("one two"), chatReply("new one"), failed(404)];
  const { engine } = anEngine(() => answers.shift() ?? chatReply("too many"));
  await inTurn(engine, aRun("record"), 2);

  await inTurn(engine, aRun("refresh"), 2);

  expect(await inTurn(engine, aRun("strict"), 2)).toEqual(["new one", "404 gone"]);
});
