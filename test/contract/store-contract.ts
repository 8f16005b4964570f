import { describe, expect, it } from "vitest";
import { NO_CONTENT, type RecordingReplacement, type WatchedStore } from "../../src/core/cassette/store.ts";
import { isTapedeckError } from "../../src/core/base/errors.ts";
import { replyOf } from "../support/reply-of.ts";
import { aRecording, aReplyOf, textOf } from "../support/a-recording.ts";

/** What every store promises. `makeStore` gives an empty one. */
export function storeContract(name: string, makeStore: () => WatchedStore | Promise<WatchedStore>): void {
  describe(`${name} keeps the promises of a store:`, () => {
    it("an empty one has nothing, and reports that for every entry", async () => {
      const store = await makeStore();
      const { provider, key } = aRecording();
      const entry = `calls/openai/${key.slice(7, 9)}/${key.slice(7)}.json`;

      expect(store.takes(provider, key)).toEqual([]);
      expect(await store.list()).toEqual([]);
      await expect(replyOf(store, entry)).rejects.toSatisfy(isCassetteError);
      await expect(store.read(entry)).rejects.toThrow(entry);
      await expect(store.remove(entry)).rejects.toThrow(entry);
    });

    it("what was saved is found by its key and comes back as it was", async () => {
      const store = await makeStore();
      const recording = aRecording({ test: { file: "a.test.ts", name: ["a", "b"] } });

      const address = await store.save(recording);

      const { key, provider } = recording;
      expect(address).toEqual({
        entry: `calls/openai/${key.slice(7, 9)}/${key.slice(7)}.json`,
        provider,
        key,
        take: 1,
      });
      expect(store.takes(provider, key)).toEqual([address]);
      expect(await store.read(address.entry)).toEqual(recording);
      expect(await replyOf(store, address.entry)).toEqual(recording.reply);
    });

    it("saving a key again adds a take and leaves the others alone", async () => {
      const store = await makeStore();
      const first = await store.save(aReplyOf("one"));

      const second = await store.save(aReplyOf("two"));

      expect(second).toMatchObject({ take: 2, entry: first.entry.replace(".json", ".2.json") });
      expect(store.takes(first.provider, first.key)).toEqual([first, second]);
      expect(await repliesOf(store)).toEqual(['{"text":"one"}', '{"text":"two"}']);
    });

    it("many saved at once all get a place of their own", async () => {
      const store = await makeStore();
      const texts = Array.from({ length: 12 }, (_, index) => `reply ${String(index).padStart(2, "0")}`);

      const addresses = await Promise.all(texts.map((text) => store.save(aReplyOf(text))));

      expect(addresses.map(({ take }) => take).sort((a, b) => a - b)).toEqual(
        texts.map((_, index) => index + 1),
      );
      expect((await repliesOf(store)).sort()).toEqual(texts.map((text) => JSON.stringify({ text })));
    });

    it("the same key of another provider is another recording", async () => {
      const store = await makeStore();
      const saved = await store.save(aRecording());

      expect(store.takes("azure", saved.key)).toEqual([]);
    });

    it("the list is in the order of provider, key and take", async () => {
      const store = await makeStore();
      for (const question of ["a", "b", "c"]) await store.save(aRecording({ question, provider: "openai" }));
      await store.save(aRecording({ question: "z", provider: "anthropic" }));
      for (let take = 2; take <= 11; take += 1) await store.save(aRecording({ question: "a" }));

      const list = await store.list();

      const { key } = aRecording({ question: "a" });
      expect(list).toHaveLength(14);
      expect(list[0]?.provider).toBe("anthropic");
      expect(list.filter((address) => address.key === key).map(({ take }) => take)).toEqual(
        Array.from({ length: 11 }, (_, index) => index + 1),
      );
      expect(new Set(list.map(({ provider, key: of }) => provider + of)).size).toBe(4);
    });

    it("a recording gets its requested number if that is free, and leaves gaps", async () => {
      const store = await makeStore();

      const numbers: number[] = [];
      for (const [text, number] of [
        ["c", 3],
        ["a", 1],
        ["b", undefined],
        ["d", 3],
      ] as const)
        numbers.push((await store.save(aReplyOf(text), number)).take);

      expect(numbers).toEqual([3, 1, 4, 5]);
      expect(await repliesOf(store)).toEqual([
        '{"text":"a"}',
        '{"text":"c"}',
        '{"text":"b"}',
        '{"text":"d"}',
      ]);
    });

    it("replacing changes one take and no other", async () => {
      const store = await makeStore();
      const { entry } = await store.save(aReplyOf("one"));
      await store.save(aReplyOf("two"));
      await replyOf(store, entry);

      await store.replace(entry, aReplyOf("new"));

      expect(await repliesOf(store)).toEqual(['{"text":"new"}', '{"text":"two"}']);
    });

    it("a recording of another key cannot take an entry's place", async () => {
      const store = await makeStore();
      const { entry } = await store.save(aReplyOf("one"));

      await expect(store.replace(entry, aReplyOf("new", "Another question?"))).rejects.toThrow(entry);

      expect(await repliesOf(store)).toEqual(['{"text":"one"}']);
    });

    it("several takes are replaced together, with a new one beside them, or none is", async () => {
      const store = await makeStore();
      const change = (text: string, question: string): RecordingReplacement => ({
        entry: entries.get(question) ?? "",
        recording: aReplyOf(text, question),
      });
      const entries = new Map<string, string>();
      for (const question of ["a", "b", "c"])
        entries.set(question, (await store.save(aReplyOf("old", question))).entry);
      const removed = await store.remove(entries.get("c") ?? "");
      const [a, b, c] = [change("new a", "a"), change("new b", "b"), change("new c", "c")];

      await expect(
        store.replace(a.entry, a.recording, undefined, [b, { ...c, entry: b.entry }]),
      ).rejects.toThrow(b.entry);
      const kept = await repliesOf(store);
      await store.replace(c.entry, c.recording, NO_CONTENT, [a, b]);

      expect(kept).toEqual(['{"text":"old"}', '{"text":"old"}']);
      expect((await repliesOf(store)).toSorted()).toEqual([
        '{"text":"new a"}',
        '{"text":"new b"}',
        '{"text":"new c"}',
      ]);
      expect(store.takes(a.recording.provider, c.recording.key)).toHaveLength(1);
      await expect(removed.restore()).rejects.toSatisfy(isCassetteError);
    });

    it("what was removed is gone until it is restored, unless its place is taken by then", async () => {
      const store = await makeStore();
      const saved = await store.save(aReplyOf("one"));

      const removed = await store.remove(saved.entry);
      const without = store.takes(saved.provider, saved.key);
      await removed.restore();

      expect(without).toEqual([]);
      expect(await repliesOf(store)).toEqual(['{"text":"one"}']);
      await expect(removed.restore()).rejects.toSatisfy(isCassetteError);
    });

    it("what this store did itself is seen at once", async () => {
      const store = await makeStore();
      const takesNow = (): unknown => store.takes("openai", first.key);
      const first = await store.save(aReplyOf("one"));
      const one = takesNow();
      const second = await store.save(aReplyOf("two"));
      const two = takesNow();
      const removed = await store.remove(first.entry);
      const left = takesNow();
      await removed.restore();

      expect([one, two, left, takesNow()]).toEqual([[first], [first, second], [second], [first, second]]);
    });

    it("takes stay in order around one that was removed, and new ones come last", async () => {
      const store = await makeStore();
      await store.save(aReplyOf("one"));
      const { entry } = await store.save(aReplyOf("two"));
      await store.save(aReplyOf("three"));

      const removed = await store.remove(entry);
      const { take } = await store.save(aReplyOf("four"));
      const between = await repliesOf(store);
      await removed.restore();

      expect(take).toBe(4);
      expect(between).toEqual(['{"text":"one"}', '{"text":"three"}', '{"text":"four"}']);
      expect(await repliesOf(store)).toEqual([
        '{"text":"one"}',
        '{"text":"two"}',
        '{"text":"three"}',
        '{"text":"four"}',
      ]);
    });

    it("listeners are notified of saved, replaced, removed, and restored recordings until they stop", async () => {
      const store = await makeStore();
      const heard: (string | undefined)[] = [];
      const watching = store.watch(({ entry }) => heard.push(entry));
      const counts: number[] = [];
      const count = (): void => void counts.push(heard.filter((entry) => entry === saved.entry).length);

      const saved = await store.save(aReplyOf("one"));
      count();
      await store.replace(saved.entry, aReplyOf("two"));
      count();
      const removed = await store.remove(saved.entry);
      count();
      await removed.restore();
      count();
      watching.dispose();
      const before = heard.length;
      await store.save(aReplyOf("three"));

      expect(counts.every((now, index) => now > (counts[index - 1] ?? 0))).toBe(true);
      expect(heard).toHaveLength(before);
    });
  });
}

async function repliesOf(store: WatchedStore): Promise<string[]> {
  const list = await store.list();
  return Promise.all(list.map(async ({ entry }) => textOf((await replyOf(store, entry)).body)));
}

function isCassetteError(error: unknown): boolean {
  return isTapedeckError(error) && error.code === "tapedeck_cassette";
}
