import { expect, test } from "vitest";
import {
  anEngine,
  aRun,
  chatCall,
  chatEvent,
  chatReply,
  DONE,
  streamReply,
  textOf,
  encode,
} from "../../../support/an-engine.ts";
import { aGate, until } from "../../../support/a-gate.ts";

test.each([
  ["a stream", "text/event-stream", chatEvent("first"), DONE],
  ["audio", "audio/mpeg", "first", "last"],
])("%s is forwarded while it arrives, and its end only after it is on disk", async (what, type, one, two) => {
  const gate = aGate();
  const reply = { status: 200, headers: [["content-type", type]], body: encode(gate.chunks) } as const;
  const { engine, store, clock } = anEngine(() => reply);
  gate.send(one);
  const path = what === "audio" ? { path: "/v1/things" } : {};
  const answering = engine.answer(chatCall(aRun("record"), "hi", { stream: true }, path));
  await until(() => clock.waits.length > 0);
  clock.advance(5);

  const answer = await answering;
  const reader = (answer.reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const first = await reader.next();
  const before = await store.list();
  gate.send(two);
  gate.end();
  const last = await reader.next();
  const onDisk = await store.list();
  const end = await reader.next();

  expect([first, last].map(({ value }) => Buffer.from(value as Uint8Array).toString())).toEqual([one, two]);
  expect(before).toEqual([]);
  expect(what === "audio" || onDisk.length === 1).toBe(true);
  expect(end.done).toBe(true);
  expect(answer.outcome).toBe("forwarded");
  expect(await answer.settled).toMatchObject({ outcome: "recorded", entry: (await store.list())[0]?.entry });
});

test("a short stream's headers report it as recorded, and it is sent in one piece", async () => {
  const { engine } = anEngine(() => streamReply([chatEvent("hi"), DONE]));

  const answer = await engine.answer(chatCall(aRun("record"), "hi", { stream: true }));

  expect(answer.outcome).toBe("recorded");
  expect(answer.reply.body).toBeInstanceOf(Uint8Array);
  expect(await textOf(answer)).toBe(chatEvent("hi") + DONE);
});

test("a stream that arrives without a pause is awaited, and its headers report it as recorded", async () => {
  const gate = aGate();
  const { engine, clock } = anEngine(() => streamReply(gate.chunks));
  const answering = engine.answer(chatCall(aRun("record"), "hi", { stream: true }));
  gate.send(chatEvent("first"));
  await until(() => clock.waits.length > 0);
  gate.send(chatEvent("second"));
  await turns();
  clock.advance(5);
  await until(() => clock.waits.length > 0);
  gate.send(DONE);
  gate.end();

  expect((await answering).outcome).toBe("recorded");
});

test("an endless stream is awaited for 15 ms, and then forwarded while it arrives", async () => {
  const gate = aGate();
  const { engine, clock } = anEngine(() => streamReply(gate.chunks));
  const answering = engine.answer(chatCall(aRun("record"), "hi", { stream: true }));
  const answered: (string | undefined)[] = [];
  void answering.then(({ outcome }) => answered.push(outcome));
  gate.send(chatEvent("first"));
  for (const next of ["second", "third", "fourth"]) {
    await until(() => clock.waits.length > 0);
    gate.send(chatEvent(next));
    await turns();
    answered.push(undefined);
    clock.advance(5);
  }

  await answering;
  gate.send(DONE);
  gate.end();

  expect(answered).toEqual([undefined, undefined, undefined, "forwarded"]);
});

test.each([400, 401, 429, 500])("status %i is passed on with its body and not recorded", async (status) => {
  const { engine, store, events } = anEngine(() => chatReply("no", status));

  const answer = await engine.answer(chatCall(aRun("record"), "hi"));

  expect(answer).toMatchObject({ outcome: "forwarded", reply: { status } });
  expect(await store.list()).toEqual([]);
  expect(events[0]?.reason).toContain(`status ${status}`);
  expect(events[0]?.upstreamStatus).toBe(status);
});

const KEY_IN_PIECES = ["sk-test-", "01234567", "89abcdef"].map((piece) => chatEvent(piece));

test.each([
  ["whole", () => chatReply("your key is sk-test-0123456789abcdef")],
  ["in the pieces of a stream", () => streamReply([...KEY_IN_PIECES, DONE])],
])(
  "a reply that contains the call's own key %s is forwarded, not recorded, and reported",
  async (how, reply) => {
    const { engine, store, warnings } = anEngine(reply);

    const answer = await engine.answer(chatCall(aRun("record"), "echo my key", { stream: how !== "whole" }));

    expect(answer.outcome).toBe("forwarded");
    expect(await store.list()).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining("the response contains the credential")]);
    expect(warnings[0]).not.toContain("sk-test");
  },
);

test("the call's headers and body are sent upstream, without our headers and the connection's", async () => {
  const { engine, sent } = anEngine();
  const headers = [
    ["content-type", "application/json"],
    ["authorization", "Bearer sk-test-0123456789abcdef"],
    ["host", "127.0.0.1:1"],
    ["connection", "keep-alive"],
    ["x-tapedeck-test", "secret"],
    ["openai-organization", "org-1"],
  ] as const;
  const call = chatCall(aRun("record"), "hi", {}, { headers });

  await engine.answer(call);

  expect(sent[0]).toMatchObject({
    url: "https://api.openai.com/v1/chat/completions",
    method: "POST",
    body: call.body,
  });
  expect(sent[0]?.headers.map(([name]) => name)).toEqual([
    "content-type",
    "authorization",
    "openai-organization",
  ]);
});

test.each([
  ["/messages", "/v1/messages"],
  ["/messages?beta=true", "/v1/messages?beta=true"],
  ["/v1/messages", "/v1/messages"],
])("a call to Anthropic's %s, from a client without a version in its path, goes to %s", async (path, url) => {
  const { engine, sent } = anEngine();

  await engine.answer(chatCall(aRun("record"), "hi", {}, { provider: "anthropic", path }));

  expect(sent[0]?.url).toBe(`https://api.anthropic.com${url}`);
});

test("an answer that the store cannot save still reaches the client as forwarded, and the failure is reported", async () => {
  const { store } = anEngine();
  const full = { ...store, save: () => Promise.reject(new Error("ENOSPC: no space left on device")) };
  const { engine, warnings } = anEngine(undefined, { store: full });

  const answer = await engine.answer(chatCall(aRun("record"), "hi"));

  expect(answer.outcome).toBe("forwarded");
  expect(await textOf(answer)).toContain("hello");
  expect(warnings[0]).toMatch(/could not be saved.*no space left/);
});

test("a recorded stream is played back at its pace when requested", async () => {
  const recording = anEngine(() => streamReply([chatEvent("a"), DONE]));
  await textOf(await recording.engine.answer(chatCall(aRun("record"), "hi", { stream: true })));
  const [address] = await recording.store.list();
  const recorded = await recording.store.read(address!.entry);
  await recording.store.replace(address!.entry, {
    ...recorded,
    reply: { ...recorded.reply, waitsMs: [0, 70] },
  });
  const { engine, clock } = anEngine(undefined, { store: recording.store, timing: "recorded" });

  const answer = await engine.answer(chatCall(aRun("strict"), "hi", { stream: true }));
  const reader = (answer.reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  await reader.next();
  const second = reader.next();
  await until(() => clock.waits.length > 0);

  expect(clock.waits).toEqual([70]);
  clock.advance(70);
  expect(Buffer.from((await second).value as Uint8Array).toString()).toBe(DONE);
});

test("the lines of an NDJSON answer have waits of their own, in recording and in playing back", async () => {
  const gate = aGate();
  const lines = {
    status: 200,
    headers: [["content-type", "application/x-ndjson"]],
    body: encode(gate.chunks),
  } as const;
  const recording = anEngine(() => lines);
  const path = { path: "/v1/things" };
  gate.send('{"a":1}\n');
  const answering = recording.engine.answer(chatCall(aRun("record"), "hi", {}, path));
  await until(() => recording.clock.waits.length > 0);
  recording.clock.advance(70);
  const answer = await answering;
  gate.send('{"a":2}\n{"a":3}\n');
  gate.end();
  await textOf(answer);

  const [address] = await recording.store.list();
  const { reply } = await recording.store.read(address!.entry);
  const { engine, clock } = anEngine(undefined, { store: recording.store, timing: "recorded" });
  const replayed = await engine.answer(chatCall(aRun("strict"), "hi", {}, path));
  const reader = (replayed.reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const first = await reader.next();
  const second = reader.next();
  await until(() => clock.waits.length > 0);

  expect(reply.waitsMs).toEqual([0, 70, 0]);
  expect(Buffer.from(first.value as Uint8Array).toString()).toBe('{"a":1}\n');
  expect(clock.waits).toEqual([70]);
  clock.advance(70);
  expect(Buffer.from((await second).value as Uint8Array).toString()).toBe('{"a":2}\n');
});

/** Long enough for what was sent to arrive. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
