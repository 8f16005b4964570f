import { statSync } from "node:fs";
import { posix, join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { NOT_QUIET, type KnownTakes } from "../../../src/core/cassette/store.ts";
import { createFolderIndex } from "../../../src/storage/folder/folder-index.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { createTakesFinder } from "../../../src/storage/replay/folder-takes.ts";
import { createRecordingReader } from "../../../src/storage/folder/recording-reader.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aReplyOf, sha256, textOf } from "../../support/a-recording.ts";
import { aTakesMemory } from "../../support/a-takes-memory.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Takes of one call with these texts, each reply known, in a folder of which a test says what is heard. */
async function setUp(texts: readonly string[], { isWatched = true, cacheBytes = 100_000 } = {}) {
  const dir = join(aFolder(), ".tapedeck");
  const entries = await saveAll(dir, texts);
  const folder = { generation: 0, isWatched };
  const changes = { count: 0 };
  const folders = { changes, at: () => folder, caughtUp: () => undefined, replaced() {}, close() {} };
  const mark = { isThere: false };
  const namedByRules = {
    isThere: () => mark.isThere,
    make: () => Promise.resolve(),
    seen() {},
    look: () => mark.isThere,
  };
  const index = createFolderIndex(dir, folders);
  const reader = createRecordingReader({ dir, sha256, cacheBytes, folders, namedByRules });
  /** The first time it is read, the second time its file is looked at and found as it was. */
  const know = async (entry: string): Promise<void> => {
    await reader.reply(entry);
    await reader.reply(entry);
  };
  for (const entry of entries) await know(entry);
  const { provider, key } = aReplyOf("");
  const takes = (): KnownTakes => {
    const found = createTakesFinder(index, { reader, namedByRules, changes })(provider, key);
    if (found === undefined) throw new Error("There are no takes.");
    return found;
  };
  return { entries, folder, changes, index, know, mark, takes };
}

async function saveAll(dir: string, texts: readonly string[]): Promise<string[]> {
  const store = createFolderStore(dir);
  const entries: string[] = [];
  for (const text of texts) entries.push((await store.save(aReplyOf(text))).entry);
  // A file that was changed a moment ago is looked at in any case.
  const isOld = (entry: string): boolean => Date.now() - statSync(join(dir, entry)).ctimeMs > 60;
  await vi.waitUntil(() => entries.every(isOld), { interval: 5, timeout: 20_000 });
  return entries;
}

const said = (takes: KnownTakes, index: number, memory = aTakesMemory()): string | undefined => {
  const reply = takes.quiet(index, memory);
  return reply && (JSON.parse(textOf(reply.body)) as { text: string }).text;
};

it("each take has its own reply, in whatever order they are asked for", async () => {
  const takes = (await setUp(["one", "two"])).takes();
  const memory = aTakesMemory();

  const texts = [0, 1, 1, 0, 0, 1].map((index) => said(takes, index, memory));

  expect(texts).toEqual(["one", "two", "two", "one", "one", "two"]);
});

it("the reply of an only take needs no further look until something has changed, that of one among several does", async () => {
  const [one, two] = [await setUp(["one"]), await setUp(["one", "two"])];
  for (const { changes } of [one, two]) changes.count = 7;
  const [ofOne, ofTwo] = [aTakesMemory(), aTakesMemory()];

  const replies = [one.takes().quiet(0, ofOne), two.takes().quiet(1, ofTwo)];

  expect([ofOne, ofTwo]).toEqual([
    { takes: undefined, reply: replies[0], quietAsOf: 7 },
    { takes: undefined, reply: replies[1], quietAsOf: NOT_QUIET },
  ]);
});

it("takes hold until their folder has changed, which counts as a change, whoever says so", async () => {
  const { changes, entries, index, takes } = await setUp(["one"]);
  const [known, memory] = [takes(), aTakesMemory()];
  said(known, 0, memory);
  const before = [known.hold(), memory.quietAsOf === changes.count];

  index.changed(posix.dirname(entries[0] ?? ""));

  expect([...before, known.hold(), memory.quietAsOf === changes.count]).toEqual([true, true, false, false]);
});

it("what is heard of another folder changes nothing but that it is asked again", async () => {
  const { changes, takes } = await setUp(["one"]);
  const [known, memory] = [takes(), aTakesMemory()];
  said(known, 0, memory);

  changes.count += 1;

  expect([known.hold(), said(known, 0, memory), memory.quietAsOf]).toEqual([true, "one", changes.count]);
});

it("a reply is quiet no longer once its folder told of a change", async () => {
  const { changes, folder, know, entries, takes } = await setUp(["one"]);
  const [known, memory] = [takes(), aTakesMemory()];
  const texts = [said(known, 0, memory)];

  folder.generation += 1;
  changes.count += 1;
  texts.push(said(known, 0, memory));
  await know(entries[0] ?? "");
  texts.push(said(known, 0, memory));

  expect(texts).toEqual(["one", undefined, "one"]);
});

it("takes of a folder that was looked at before it was watched hold for a moment only", async () => {
  const { changes, folder, know, entries, takes } = await setUp(["one"], { isWatched: false });
  vi.useFakeTimers({ toFake: ["performance"] });
  const [known, memory] = [takes(), aTakesMemory()];
  Object.assign(folder, { isWatched: true, generation: 1 });
  changes.count += 1;
  await know(entries[0] ?? "");
  const before = [said(known, 0, memory), known.hold()];

  vi.advanceTimersByTime(1_000);

  expect([...before, known.hold(), memory.quietAsOf]).toEqual(["one", true, false, NOT_QUIET]);
});

it("takes do not hold where names may mislead by now", async () => {
  const { mark, takes } = await setUp(["one"]);
  const known = takes();
  said(known, 0);
  const before = known.hold();

  mark.isThere = true;

  expect([before, known.hold()]).toEqual([true, false]);
});

it("a reply that is asked for again is not the first to go", async () => {
  const { entries, know, takes } = await setUp(["one", "two", "six"], { cacheBytes: 1_300 });
  const [one = "", two = "", six = ""] = entries;
  const known = takes();
  await know(one);
  await know(two);
  said(known, 0);
  await know(two);

  said(known, 0);
  await know(six);

  expect(said(known, 0)).toBe("one");
});

it("where there is little room left, a reply that is kept is asked for each time", async () => {
  const { takes } = await setUp(["one"], { cacheBytes: 900 });
  const memory = aTakesMemory();

  said(takes(), 0, memory);

  expect([memory.reply === undefined, memory.quietAsOf]).toEqual([false, NOT_QUIET]);
});
