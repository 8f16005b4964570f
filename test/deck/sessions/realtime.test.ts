import { expect, test } from "vitest";
import { aRealtimeDeck, converse, CREATE, says, UPDATE } from "../../support/a-session-deck.ts";
import { aSocketClient } from "../../support/a-socket-client.ts";

test("a session is recorded and replayed frame by frame, without its upstream", async () => {
  const { upstream, url, deck, reported } = await aRealtimeDeck();
  const recorded = await converse(url("record"), ["hello", "and again"]);
  const [first] = await reported(1);
  const replayed = await converse(url("strict"), ["hello", "and again"]);
  const [, second] = await reported(2);

  expect(replayed.frames).toEqual(recorded.frames);
  expect(await replayed.closed).toBe(await recorded.closed);
  expect(upstream.opened.length).toBe(1);
  expect(first).toMatchObject({
    outcome: "recorded",
    operation: "realtime",
    model: "gpt-realtime",
    label: "and again",
  });
  expect(second).toMatchObject({
    outcome: "replayed",
    entry: first?.entry,
    key: first?.key,
    label: "and again",
  });
  expect(await deck.store.list()).toHaveLength(1);
});

test("in record mode, a session that departs from its recording continues with the provider", async () => {
  const { upstream, url, reported, deck } = await aRealtimeDeck();
  await converse(url("record"), ["hello", "and again"]);
  const departed = await converse(url("record"), ["hello", "something else", "a third"]);
  const [, second] = await reported(2);
  const replayed = await converse(url("strict"), ["hello", "something else", "a third"]);

  expect(second).toMatchObject({ outcome: "recorded", label: "a third" });
  expect(replayed.frames).toEqual(departed.frames);
  expect(upstream.opened.length).toBe(2);
  expect(await deck.store.list()).toHaveLength(2);
});

test("ids that the upstream gives out anew are those that the client knows", async () => {
  const { upstream, url, reported } = await aRealtimeDeck();
  const first = await aSocketClient(url("record"));
  first.send(says("hello"));
  first.send(CREATE);
  await first.until("response.done");
  await first.close();
  await reported(1);
  const client = await aSocketClient(url("record"));
  client.send(says("hello"));
  client.send(CREATE);
  const { item } = JSON.parse(await client.until("conversation.item.added")) as { item: { id: string } };
  await client.until("response.done");
  client.send({ ...says("about it"), previous_item_id: item.id });
  client.send(CREATE);
  await client.until("Echo: about it");
  await client.close();
  await reported(2);

  expect(upstream.received.filter((text) => text.includes(item.id))).toEqual([]);
  expect(upstream.received.at(-2)).toMatch(/"previous_item_id":"item_/);
});

test("a message that departs from the recording is a miss that names it, in the API's own error event", async () => {
  const { upstream, url, reported } = await aRealtimeDeck();
  await converse(url("record"), ["hello", "and again"]);
  const client = await aSocketClient(url("strict"));
  await client.until("session.created");
  client.send(UPDATE);
  client.send(says("hello"));
  client.send(CREATE);
  await client.until("response.done");
  client.send(says("something else"));
  const error = JSON.parse(await client.until('"type":"error"')) as {
    error: { code: string; message: string };
  };
  const events = await reported(2);

  expect(await client.closed).toMatch(/^1008 tapedeck_miss: /);
  expect(error.error.code).toBe("tapedeck_miss");
  expect(error.error.message).toContain("message 4 (conversation.item.create)");
  expect(error.error.message).toContain('"and again" → "something else"');
  expect(events[1]).toMatchObject({
    outcome: "miss",
    label: "something else",
    miss: { operation: "realtime" },
  });
  expect(upstream.opened.length).toBe(1);
});

test("a session whose server reports no tokens is of unknown price, and not free", async () => {
  const { url, reported } = await aRealtimeDeck((_, send) => send({ type: "session.created", session: {} }));
  const client = await aSocketClient(url("record"));
  await client.until("session.created");
  client.send({ type: "input_audio_buffer.append", audio: "AAAA" });
  await client.close();

  expect((await reported(1))[0]).toMatchObject({
    outcome: "recorded",
    charge: { calls: 1, costUsd: 0, unpricedCalls: 1 },
  });
});
