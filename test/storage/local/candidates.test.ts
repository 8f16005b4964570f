import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  acceptCandidates,
  addCandidates,
  discardCandidates,
  listCandidates,
} from "../../../src/storage/local/candidates.ts";
import { readEarlier } from "../../../src/storage/local/earlier.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { aFolder } from "../../support/a-folder.ts";
import { replyOf } from "../../support/reply-of.ts";
import { aReplyOf, textOf } from "../../support/a-recording.ts";

function aCassette() {
  const dir = join(aFolder(), ".tapedeck");
  const store = createFolderStore(dir);
  const record = async (text: string, question = text): Promise<string> => {
    const { entry } = await store.save(aReplyOf(text, question));
    await addCandidates(dir, [{ entry, recordedAt: 1 }]);
    return entry;
  };
  /** An accepted recording that a run then refreshed. */
  const refresh = async (before: string, after: string): Promise<string> => {
    const { entry } = await store.save(aReplyOf(before, "asked"));
    await store.replace(entry, aReplyOf(after, "asked"));
    await addCandidates(dir, [{ entry, recordedAt: 2 }]);
    return entry;
  };
  const entriesNew = async (): Promise<readonly string[]> =>
    (await listCandidates(dir)).map(({ entry }) => entry);
  const saysAt = async (entry: string): Promise<string> => textOf((await replyOf(store, entry)).body);
  return { dir, store, record, refresh, entriesNew, saysAt };
}

describe("new recordings", () => {
  it("are listed with their test and how it ended, until they are accepted", async () => {
    const { dir, store, entriesNew } = aCassette();
    const test = { file: "a.test.ts", name: ["a"], line: 3 };
    const { entry } = await store.save(aReplyOf("one", "one"));

    await addCandidates(dir, [
      { entry, recordedAt: 7, test: { ...test, execution: "x" }, outcome: "failed" },
    ]);
    const listed = await listCandidates(dir);
    const accepted = await acceptCandidates(dir, [entry]);

    expect(listed).toMatchObject([{ entry, recordedAt: 7, test, outcome: "failed" }]);
    expect(accepted).toEqual(listed);
    expect(await entriesNew()).toEqual([]);
    expect(existsSync(join(dir, entry))).toBe(true);
  });

  it("that many processes note at once are all there", async () => {
    const { dir, store } = aCassette();
    const entries = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => (await store.save(aReplyOf("x", `q${index}`))).entry),
    );

    await Promise.all(entries.map((entry) => addCandidates(dir, [{ entry, recordedAt: 1 }])));

    expect((await listCandidates(dir)).map(({ entry }) => entry).sort()).toEqual([...entries].sort());
  });

  it("are noted over a file that is broken, which is kept beside", async () => {
    const { dir, record, entriesNew } = aCassette();
    mkdirSync(join(dir, ".local"), { recursive: true });
    writeFileSync(join(dir, ".local/candidates.json"), '{"cand');

    const entry = await record("one");

    expect(await entriesNew()).toEqual([entry]);
    expect(readFileSync(join(dir, ".local/candidates.broken.json"), "utf8")).toBe('{"cand');
  });
});

describe("discarding", () => {
  it("removes what is new and nothing that was accepted, and is undone wholly", async () => {
    const { dir, store, record, entriesNew, saysAt } = aCassette();
    const accepted = await record("accepted");
    await acceptCandidates(dir, [accepted]);
    const entry = await record("new");

    const discarded = await discardCandidates({ dir, store }, [accepted, entry]);
    const left = (await store.list()).map((one) => one.entry);
    await discarded.undo();

    expect(left).toEqual([accepted]);
    expect(await saysAt(entry)).toBe('{"text":"new"}');
    expect(await entriesNew()).toEqual([entry]);
  });

  it("of a refreshed recording brings the accepted text back, and undone, the refreshed one", async () => {
    const { dir, store, refresh, entriesNew, saysAt } = aCassette();
    const entry = await refresh("before", "after");

    const earlier = await readEarlier(dir, entry);
    const discarded = await discardCandidates({ dir, store }, [entry]);
    const restored = await saysAt(entry);
    await discarded.undo();

    expect(textOf(earlier.reply.body)).toBe('{"text":"before"}');
    expect(restored).toBe('{"text":"before"}');
    expect(await saysAt(entry)).toBe('{"text":"after"}');
    expect(await listCandidates(dir)).toMatchObject([{ entry, replaces: true }]);
    expect(textOf((await readEarlier(dir, entry)).reply.body)).toBe('{"text":"before"}');
    expect(await entriesNew()).toEqual([entry]);
  });

  it("of a recording refreshed twice restores the accepted version, not the one in between", async () => {
    const { dir, store, refresh, saysAt } = aCassette();
    const entry = await refresh("accepted", "first try");
    await store.replace(entry, aReplyOf("second try", "asked"));
    await addCandidates(dir, [{ entry, recordedAt: 3 }]);

    await discardCandidates({ dir, store }, [entry]);

    expect(await saysAt(entry)).toBe('{"text":"accepted"}');
  });

  it("of a new recording that was refreshed removes it, because the replaced one was never accepted", async () => {
    const { dir, store, record } = aCassette();
    const entry = await record("new", "asked");
    await store.replace(entry, aReplyOf("refreshed", "asked"));
    await addCandidates(dir, [{ entry, recordedAt: 3 }]);
    const earlier = await readEarlier(dir, entry).catch(() => undefined);

    await discardCandidates({ dir, store }, [entry]);

    expect(earlier).toBeUndefined();
    expect(await store.list()).toEqual([]);
  });

  it("writes its notes a few times for many", async () => {
    const { dir, store, record, entriesNew } = aCassette();
    const entries: string[] = [];
    for (let at = 0; at < 120; at += 1) entries.push(await record(`question ${at}`));
    const notes = join(dir, ".local", "candidates.json");
    const writes = new Set<number>();
    const remove = (entry: string) => {
      writes.add(statSync(notes).ino);
      return store.remove(entry);
    };

    const { undo } = await discardCandidates({ dir, store: { remove } }, entries);

    expect(await entriesNew()).toEqual([]);
    expect(writes.size).toBeLessThan(5);
    await undo();
    expect(await entriesNew()).toHaveLength(120);
  });

  it("that fails in the middle leaves the others new", async () => {
    const { dir, store, record, entriesNew } = aCassette();
    const entries = [await record("one"), await record("two")];
    let removals = 0;
    const refusing = {
      remove: (entry: string) => {
        removals += 1;
        return removals === 2 ? Promise.reject(new Error("the disk refuses")) : store.remove(entry);
      },
    };

    await expect(discardCandidates({ dir, store: refusing }, entries)).rejects.toThrow("refuses");

    expect(await entriesNew()).toEqual(entries.slice(1));
    expect(await store.list()).toHaveLength(1);
  });
});

it("accepting a refreshed recording forgets what it replaced", async () => {
  const { dir, refresh, saysAt } = aCassette();
  const entry = await refresh("before", "after");

  await acceptCandidates(dir, [entry]);

  expect(await saysAt(entry)).toBe('{"text":"after"}');
  await expect(readEarlier(dir, entry)).rejects.toMatchObject({ code: "tapedeck_cassette" });
});
