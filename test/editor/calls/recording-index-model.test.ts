import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../src/storage/memory-store.ts";
import type { WatchedStore } from "../../../src/core/cassette/store.ts";
import type { RecordingAddress } from "../../../src/core/cassette/recording.ts";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { sha256 } from "../../support/a-recording.ts";
import { aCallsTree, aChat, aTest, treeText } from "../calls-tree/a-calls-tree.ts";

const WORD = aTest("tests/chat.test.ts", "answers in one word");

const ADDRESSES = Array.from({ length: 10_000 }, (_, n): RecordingAddress =>
  createRecordingAddress(n % 100 === 0 ? "ollama" : "openai", `sha256:${sha256(String(n))}`, 1),
);

/** As many recordings as one likes, made when they are read. */
function aHugeStore(count: number): WatchedStore {
  const addresses = ADDRESSES.slice(0, count);
  const nth = new Map(addresses.map(({ entry }, n) => [entry, n]));
  return {
    ...createMemoryStore(),
    list: async () => addresses,
    takes: (provider, key) => [createRecordingAddress(provider, key, 1)],
    async read(entry) {
      const n = nth.get(entry) ?? 0;
      return aChat(`Question ${n}`, { test: aTest(`tests/${n % 50}.test.ts`, `asks ${n % 1_000}`) });
    },
  };
}

describe("a folder that changes while it is looked through", () => {
  /** A store whose listings date from their request and arrive when the test releases them. */
  function aSlowStore() {
    const store = createMemoryStore();
    const waiting: (() => void)[] = [];
    const list = async () => {
      const listed = await store.list();
      await new Promise<void>((resolve) => waiting.push(resolve));
      return listed;
    };
    return { store: { ...store, list }, waiting };
  }
  const until = async (found: () => boolean): Promise<void> => {
    await expect.poll(found).toBe(true);
  };

  it("shows recordings made since the scan began, also the very first one", async () => {
    const { store, waiting } = aSlowStore();
    const { model } = aCallsTree({ store });
    await store.save(aChat("before"));
    const looking = model.roots();
    await until(() => waiting.length === 1);

    await store.save(aChat("meanwhile"));
    waiting.shift()?.();

    expect((await looking).at(-1)?.description).toBe("2");
  });

  it("shows recordings before their keys under the project's rules are known", async () => {
    const store = createMemoryStore();
    const { model } = aCallsTree({ store: { ...store, takes: () => [] }, has: () => true });
    await model.roots();

    await store.save(aChat("under rules"));

    expect((await model.roots()).at(-1)?.description).toBe("1");
  });

  it("shows the later of two looks, whichever ends first", async () => {
    const { store, waiting } = aSlowStore();
    const { model, index } = aCallsTree({ store });
    const first = index.refresh();
    await until(() => waiting.length === 1);
    await store.save(aChat("between"));
    const second = index.refresh();
    await until(() => waiting.length === 2);

    waiting.pop()?.();
    await second;
    waiting.pop()?.();
    await first;

    expect((await model.roots()).at(-1)?.description).toBe("1");
  });
});

describe("a folder of 10,000 recordings", () => {
  it("is shown without reading one of them", async () => {
    const { model, read } = aCallsTree({ store: aHugeStore(10_000) });

    const roots = await model.roots();

    expect(roots.map(({ label, description, expand }) => `${label} ${description} ${expand}`)).toEqual([
      "Missing 0 open",
      "New 0 open",
      "Recordings 10,000 closed",
    ]);
    expect(read).toHaveLength(0);
  });

  it("is grouped by provider without reading, and a group reads its own rows only", async () => {
    const { model, read } = aCallsTree({ store: aHugeStore(10_000) });
    model.shown.grouping = "provider";

    const recordings = (await model.roots()).at(-1);
    const groups = (await recordings?.children()) ?? [];
    const readForGroups = read.length;
    const rows = (await groups[0]?.children()) ?? [];

    expect(groups.map(({ label, description }) => `${label} ${description}`)).toEqual([
      "ollama 100",
      "openai 9,900",
    ]);
    expect(readForGroups).toBe(0);
    expect(rows).toHaveLength(100);
    expect(read).toHaveLength(100);
  });

  it("shows a long group in stretches and reads the opened one only", async () => {
    const { model, read } = aCallsTree({ store: aHugeStore(10_000) });
    model.shown.grouping = "provider";

    const recordings = (await model.roots()).at(-1);
    const stretches = (await (await recordings?.children())?.[1]?.children()) ?? [];
    const rows = (await stretches[1]?.children()) ?? [];

    expect(stretches).toHaveLength(20);
    expect(stretches[1]?.label).toBe("501 to 1,000");
    expect(stretches.at(-1)?.label).toBe("9,501 to 9,900");
    expect(rows).toHaveLength(500);
    expect(read).toHaveLength(500);
  });

  it("is read in the background once, in slices that let other work run, when tests are shown", async () => {
    const { model, index, read } = aCallsTree({ store: aHugeStore(3_000) });
    let turns = 0;
    const others = setInterval(() => (turns += 1), 0);

    const recordings = (await model.roots()).at(-1);
    const early = (await recordings?.children()) ?? [];
    const progress = index.progress;
    await index.settled();
    clearInterval(others);
    const groups = (await (await model.roots()).at(-1)?.children()) ?? [];

    expect(early.length).toBeLessThan(50);
    expect(progress).toMatchObject({ total: 3_000, reading: true });
    expect(groups).toHaveLength(50);
    expect(read).toHaveLength(3_000);
    expect(turns).toBeGreaterThan(10);
  });
});

describe("the index", () => {
  it("reads only changed files again", async () => {
    const { store, index, model, read } = aCallsTree();
    for (let n = 0; n < 30; n += 1) await store.save(aChat(`Question ${n}`, { test: WORD }));
    const { entry } = await store.save(aChat("Say hi", { test: WORD, reply: "Hi." }));
    await treeText(model);
    await index.settled();
    const before = read.length;

    await store.replace(entry, { ...aChat("Say hi", { test: WORD, reply: "Hello." }), model: "gpt-5" });
    await index.settled();
    const tree = await treeText(model);

    expect(read.slice(before)).toEqual([entry]);
    expect(tree).toContain('      circle-outline "Say hi"  gpt-5 · 23 tokens · 3 d');
  });

  it("follows added and removed recordings", async () => {
    const { store, index, model } = aCallsTree();
    const gone = await store.save(aChat("Say hi", { test: WORD }));
    await treeText(model);

    await store.remove(gone.entry);
    await store.save(aChat("Say bye", { test: WORD }));
    await index.settled();
    const tree = await treeText(model);

    expect(tree.slice(-2)).toEqual([
      "    - answers in one word  1",
      '      circle-outline "Say bye"  gpt-4o-mini · 23 tokens · 3 d',
    ]);
  });

  it("looks at everything again when asked to", async () => {
    const { store, index, read } = aCallsTree();
    const { entry } = await store.save(aChat("Say hi"));
    await index.addresses();
    await index.ensure([entry]);

    await index.refresh();
    await index.ensure([entry]);

    expect(read).toEqual([entry, entry]);
  });

  it("reports nothing when everything is known", async () => {
    const { store, index } = aCallsTree();
    await store.save(aChat("Say hi"));
    index.readAll();
    await index.settled();
    let told = 0;
    index.onDidChange(() => (told += 1));

    index.readAll();
    await index.settled();

    expect(told).toBe(0);
  });

  it("reads a recording once for all who wait for it", async () => {
    const { store, index, read } = aCallsTree();
    const { entry } = await store.save(aChat("Say hi"));

    await Promise.all([index.ensure([entry]), index.ensure([entry])]);

    expect(read).toEqual([entry]);
    expect(index.facts(entry)).toMatchObject({ kind: "read", label: '"Say hi"', model: "gpt-4o-mini" });
  });
});
