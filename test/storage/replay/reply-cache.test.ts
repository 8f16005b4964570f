import { statSync } from "node:fs";
import { expect, it } from "vitest";
import { createReplyCache, type Holder } from "../../../src/storage/replay/reply-cache.ts";
import { signatureOf } from "../../../src/storage/folder/signature.ts";
import { aFolder } from "../../support/a-folder.ts";

/** A cache whose replies are all quiet, and questions; asking counts as a use. */
function setUp(limitBytes: number) {
  const stats = statSync(aFolder());
  const changes = { count: 0 };
  const cache = createReplyCache(limitBytes, changes);
  const signature = signatureOf(stats, stats.ctimeMs + 10_000);
  const since = { folder: { generation: 0, isWatched: true }, generation: 0 };
  return {
    cache,
    changes,
    put: (entry: string, size = 1_000) =>
      cache.set(entry, { status: 200, body: new Uint8Array(size) }, signature),
    knows: (entry: string) => cache.get(entry, stats, since) !== undefined,
    hold: (entry: string): Holder => {
      const holder = { reply: undefined };
      cache.get(entry, stats, since);
      cache.hold(entry, holder);
      return holder;
    },
  };
}

it("replies used longest ago go first when the limit is reached", () => {
  const { put, knows } = setUp(3 * 2_600);
  for (const entry of ["a", "b", "c"]) put(entry);
  knows("a");

  put("d");

  expect(["a", "b", "c", "d"].filter(knows)).toEqual(["a", "c", "d"]);
});

it("a reply larger than the limit is not kept, and drives no other out", () => {
  const { put, knows } = setUp(10_000);
  put("small");

  put("huge", 20_000);

  expect(["small", "huge"].filter(knows)).toEqual(["small"]);
});

it("putting the same reply again and again takes the room of one", () => {
  const { put, knows } = setUp(6_000);
  put("other");

  for (let round = 0; round < 100; round += 1) put("same");

  expect(["other", "same"].filter(knows)).toEqual(["other", "same"]);
});

it("nobody holds a reply that was driven out or put anew", () => {
  const { put, hold } = setUp(2 * 2_600);
  put("a");
  put("b");
  const [a, b] = [hold("a"), hold("b")];
  const before = [a, b].map(({ reply }) => reply?.body.byteLength);

  put("c");
  put("b");

  expect([before, a.reply, b.reply]).toEqual([[1_000, 1_000], undefined, undefined]);
});

it("a reply is held by whoever asked last", () => {
  const { put, hold } = setUp(2 * 2_600);
  put("a");

  const [first, second] = [hold("a"), hold("a")];

  expect([first.reply, second.reply?.status]).toEqual([undefined, 200]);
});

it("who holds a reply has none where it asks for one that is not known", () => {
  const { cache, put, hold } = setUp(2 * 2_600);
  put("a");
  const holder = hold("a");

  cache.hold("b", holder);

  expect(holder.reply).toBeUndefined();
});

it("a reply that is asked for by who holds it is not the first to go", () => {
  const { cache, put, knows, hold } = setUp(2 * 2_600);
  put("a");
  put("b");
  const [a] = [hold("a"), hold("b")];

  cache.hold("a", a);
  put("c");

  expect([a.reply?.status, ...["a", "b"].map(knows)]).toEqual([200, true, false]);
});

it("that half of the room is taken counts as a change, each time", () => {
  const { cache, changes, put } = setUp(10_000);
  const seen = [[cache.hasRoom(), changes.count]];

  for (const [entry, size] of [
    ["a", 1_000],
    ["b", 1_000],
    ["c", 1_000],
    ["b", 10],
    ["c", 10],
    ["c", 1_000],
  ] as const) {
    put(entry, size);
    seen.push([cache.hasRoom(), changes.count]);
  }

  expect(seen).toEqual([
    [true, 0],
    [true, 0],
    [false, 1],
    [false, 1],
    [false, 1],
    [true, 1],
    [false, 2],
  ]);
});
