import { expect, it } from "vitest";
import { NO_CONTENT } from "../../src/core/cassette/store.ts";
import { createMemoryStore } from "../../src/storage/memory-store.ts";
import { createStagingStore } from "../../src/storage/staging-store.ts";
import { aReplyOf, textOf } from "../support/a-recording.ts";
import { replyOf } from "../support/reply-of.ts";

it("replacements that a test made are written to the store below together, and before its new recordings", async () => {
  const below = createMemoryStore();
  const [root, added] = [await below.save(aReplyOf("old", "root")), await below.save(aReplyOf("", "added"))];
  await below.remove(added.entry);
  const written: (readonly string[])[] = [];
  const staging = createStagingStore({
    ...below,
    save(recording, number) {
      written.push(["saved"]);
      return below.save(recording, number);
    },
    replace(entry, recording, since, together = []) {
      written.push([entry, ...together.map((one) => one.entry)]);
      return below.replace(entry, recording, since, together);
    },
  });

  const saved = await staging.save(aReplyOf("saved", "saved"));
  const change = { entry: root.entry, recording: aReplyOf("new", "root") };
  await staging.replace(added.entry, aReplyOf("added", "added"), NO_CONTENT, [change]);
  const held = await staging.list();
  const before = await textIn(below, root.entry);
  await staging.promote();

  expect(before).toBe('{"text":"old"}');
  expect(held.map(({ entry }) => entry).toSorted()).toEqual(
    [root, added, saved].map(({ entry }) => entry).toSorted(),
  );
  expect(written).toEqual([[added.entry, root.entry], ["saved"]]);
  expect([await textIn(below, root.entry), await textIn(below, added.entry)]).toEqual([
    '{"text":"new"}',
    '{"text":"added"}',
  ]);
});

const textIn = async (store: ReturnType<typeof createMemoryStore>, entry: string): Promise<string> =>
  textOf((await replyOf(store, entry)).body);
