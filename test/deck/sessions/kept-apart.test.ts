import { expect, test } from "vitest";
import { casesOf } from "../../support/cases.ts";
import { decodeReceived } from "../../../src/core/call/transcript.ts";
import { seeded, type Random } from "../../support/seeded.ts";
import {
  aDirectClient,
  aRealtimeDeck,
  converse,
  CREATE,
  says,
  UPDATE,
} from "../../support/a-session-deck.ts";
import { aSocketClient } from "../../support/a-socket-client.ts";

const MUTATIONS = casesOf({ quick: 100, long: 10_000 });
const SESSIONS = casesOf({ quick: 12, long: 50 });

test("sessions in parallel each get their own frames, in any order", async () => {
  const { upstream, url, deck, reported } = await aRealtimeDeck();
  const names = Array.from({ length: SESSIONS }, (_, at) => `visitor ${at}`);
  const texts = (name: string): readonly string[] => [name, `again ${name}`];
  const recording = url("record");
  const recorded = await Promise.all(names.map((name) => converse(recording, texts(name))));
  await reported(SESSIONS);
  const strict = url("strict");
  const replayed = await Promise.all(names.toReversed().map((name) => converse(strict, texts(name))));
  const events = await reported(2 * SESSIONS);

  const readEchoes = (frames: readonly string[]): readonly string[] =>
    frames.flatMap((frame) => /"text":"(Echo: [^"]*)"/.exec(frame)?.[1] ?? []);
  expect(replayed.toReversed().map(({ frames }) => readEchoes(frames))).toEqual(
    recorded.map(({ frames }) => readEchoes(frames)),
  );
  expect(replayed.map(({ frames }) => frames.length)).toEqual(recorded.map(({ frames }) => frames.length));
  expect(new Set(events.slice(SESSIONS).map(({ entry }) => entry)).size).toBe(SESSIONS);
  expect(upstream.opened).toHaveLength(SESSIONS);
  expect(await deck.store.list()).toHaveLength(SESSIONS);
});

const AUDIO = Buffer.from("some audio ".repeat(60)).toString("base64");
const outputFor = (item: string) => ({
  type: "conversation.item.create",
  previous_item_id: item,
  item: { id: "item_client_12345", type: "function_call_output", call_id: item, output: '{"degrees":21.5}' },
});

interface Mutation {
  /** The first message that differs. */
  readonly at: number;
  readonly texts: readonly string[];
}

/** Changes one message of a conversation so that its meaning differs. */
function mutate(messages: readonly string[], random: Random): Mutation {
  const below = (most: number): number => Math.floor(random() * most);
  const at = below(messages.length);
  const text = messages[at] ?? "";
  const replace = (by: string): Mutation => ({ at, texts: messages.toSpliced(at, 1, by) });
  switch (below(6)) {
    case 0:
      return { at, texts: messages.toSpliced(at, 1) };
    case 1:
      return { at, texts: messages.toSpliced(at, 0, '{"type":"input_audio_buffer.clear"}') };
    case 2:
      return replace(text.replace(/\}$/, ',"added":null}'));
    case 3:
      return replace(text.slice(0, 1 + below(text.length - 1)));
    default: {
      // A character of a value, but not of the ids that the client makes up.
      const values = [...text.matchAll(/(?<=:")(?!event_1"|item_client_12345")[^"\\]+(?=")/g)];
      const places = values.flatMap(({ index, 0: value }) =>
        Array.from(value, (_, offset) => index + offset),
      );
      const place = places[below(places.length)] ?? 0;
      return replace(`${text.slice(0, place)}${text[place] === "x" ? "y" : "x"}${text.slice(place + 1)}`);
    }
  }
}

test("a changed message gets no frame of a recording", async () => {
  const { upstream, url, deck, reported } = await aRealtimeDeck();
  const client = await aSocketClient(url("record"));
  await client.until("session.created");
  const messages: string[] = [];
  const send = (...all: readonly object[]): void => {
    for (const message of all) {
      messages.push(JSON.stringify(message));
      client.send(message);
    }
  };
  send(UPDATE, { type: "input_audio_buffer.append", audio: AUDIO }, CREATE);
  const done = JSON.parse(await client.until("response.done")) as { response: { output: [{ id: string }] } };
  send(outputFor(done.response.output[0].id), says("and now?"), CREATE);
  await client.until('"text":"Echo: and now?"');
  await client.close();
  const [{ entry } = {}] = await reported(1);
  await converse(url("record"), ["another", "session"]);
  await reported(2);
  const { reply } = await deck.store.read(entry ?? "");
  const received = decodeReceived(reply.body) ?? [];
  const random = seeded(44);
  const run = deck.createRun("strict");
  const results = { wrong: 0, missed: 0, unfinished: 0 };

  for (let count = 0; count < MUTATIONS; count += 1) {
    const { at, texts } = mutate(messages, random);
    const direct = await aDirectClient(deck, run);
    for (const text of texts) direct.send(text);
    const outcome = await direct.end();
    const own = direct.frames.filter(
      (frame) => !frame.includes("tapedeck_miss") && !frame.startsWith("closed"),
    );
    const allowed = received.filter(({ after }) => after <= at).length;
    if (outcome === "miss") results.missed += 1;
    else results.unfinished += at === texts.length ? 1 : 0;
    if (own.length > allowed || own.some((frame, index) => frame !== client.frames[index]))
      results.wrong += 1;
  }

  expect(results.wrong).toBe(0);
  expect(results.missed + results.unfinished).toBe(MUTATIONS);
  expect(results.missed).toBeGreaterThan(MUTATIONS * 0.9);
  expect(upstream.opened).toHaveLength(2);
});
