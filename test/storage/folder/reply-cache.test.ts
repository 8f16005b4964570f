import { statSync } from "node:fs";
import { expect, it } from "vitest";
import { createReplyCache } from "../../../src/storage/folder/find-recordings.ts";
import { signatureOf } from "../../../src/storage/folder/unchanged.ts";
import { aFolder } from "../../support/a-folder.ts";

/** A cache of replies in one watched folder, and questions; asking counts as a use. */
function setUp(limitBytes: number) {
  const stats = statSync(aFolder());
  const cache = createReplyCache(limitBytes);
  const signature = signatureOf(stats, stats.ctimeMs + 10_000);
  const folder = { generation: 0, isWatched: true };
  return {
    folder,
    put: (entry: string, size = 1_000) =>
      cache.set(entry, { status: 200, body: new Uint8Array(size) }, signature),
    knows: (entry: string) => cache.get(entry, folder, () => stats) !== undefined,
    isUnchanged: (entry: string) => cache.unchanged(entry, folder) !== undefined,
  };
}

it("replies used longest ago go first when the limit is reached", () => {
  const { put, knows } = setUp(3 * 1_600);
  for (const entry of ["a", "b", "c"]) put(entry);
  knows("a");

  put("d");

  expect(["a", "b", "c", "d"].filter(knows)).toEqual(["a", "c", "d"]);
});

it("a reply that is given without a look is not the first to go", () => {
  const { put, knows, isUnchanged } = setUp(2 * 1_600);
  for (const entry of ["a", "b"]) put(entry);
  for (const entry of ["a", "b"]) knows(entry);

  const given = isUnchanged("a");
  put("c");

  expect([given, ...["a", "b"].map(knows)]).toEqual([true, true, false]);
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

it("a reply needs no look from when its file was looked at until its folder tells of a change", () => {
  const { folder, put, knows, isUnchanged } = setUp(10_000);
  put("a");
  const seen = [isUnchanged("a")];

  knows("a");
  seen.push(isUnchanged("a"));
  folder.generation += 1;
  seen.push(isUnchanged("a"));
  knows("a");
  seen.push(isUnchanged("a"));
  folder.isWatched = false;
  seen.push(isUnchanged("a"));

  expect(seen).toEqual([false, true, false, true, false]);
});

it("a reply needs a look where its folder was not watched when its file was looked at", () => {
  const { folder, put, knows, isUnchanged } = setUp(10_000);
  folder.isWatched = false;
  put("a");
  knows("a");

  folder.isWatched = true;

  expect(isUnchanged("a")).toBe(false);
});
