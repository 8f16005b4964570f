import { statSync } from "node:fs";
import { expect, it } from "vitest";
import { createReplyCache } from "../../../src/storage/folder/find-recordings.ts";
import { signatureOf } from "../../../src/storage/folder/signature.ts";
import { aFolder } from "../../support/a-folder.ts";

/** A cache of replies, and questions; asking counts as a use. */
function setUp(limitBytes: number) {
  const stats = statSync(aFolder());
  const cache = createReplyCache(limitBytes);
  const signature = signatureOf(stats, stats.ctimeMs + 10_000);
  return {
    put: (entry: string, size = 1_000) =>
      cache.set(entry, { status: 200, body: new Uint8Array(size) }, signature),
    knows: (entry: string) => cache.get(entry, stats) !== undefined,
  };
}

it("replies used longest ago go first when the limit is reached", () => {
  const { put, knows } = setUp(3 * 1_600);
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
