import { expect, it } from "vitest";
import type { DescribedRequest } from "../../../src/core/match/read-request.ts";
import { findReplacement } from "../../../src/editor/documents/replaced-model.ts";
import { openDeck } from "../../../src/deck/deck.ts";
import { createMemoryStore } from "../../../src/storage/memory-store.ts";
import { aChat, aTest } from "../calls-tree/a-calls-tree.ts";

const WORD = aTest("tests/chat.test.ts", "chat", "answers in one word");
const OTHER = aTest("tests/chat.test.ts", "chat", "keeps the language");

async function aFolderOf(chats: Readonly<Record<string, { test: typeof WORD; stale?: boolean }>>) {
  const store = createMemoryStore();
  const deck = openDeck({ dir: "/nowhere", store });
  const names = new Map<string, string>();
  for (const [question, { test }] of Object.entries(chats))
    names.set((await store.save(aChat(question, { test }))).entry, question);
  const entries = [...names.keys()];
  const about = (entry: string) => chats[names.get(entry) ?? ""];
  const fresh = await store.save(aChat("Say hello in one word, please", { test: WORD }));
  const find = (read: (entry: string) => Promise<DescribedRequest> = (entry) => store.read(entry)) =>
    findReplacement(fresh.entry, {
      state: {
        isStale: (entry) => about(entry)?.stale === true,
        candidates: new Map([[fresh.entry, { entry: fresh.entry, recordedAt: 1 }]]),
      },
      entries: [...entries, fresh.entry],
      testsOf: (entry) => [entry === fresh.entry ? WORD : (about(entry)?.test ?? OTHER)],
      read,
      compare: (a, b) => deck.compare(a, b),
    });
  return { find: async (read?: Parameters<typeof find>[0]) => names.get((await find(read)) ?? ""), store };
}

it("a new recording replaces only unused recordings of the same test", async () => {
  const { find } = await aFolderOf({
    "Say hi in one word": { test: WORD, stale: true },
    "Say hello in one word": { test: WORD },
    "Say hello in one word, please!": { test: OTHER, stale: true },
  });

  expect(await find()).toBe("Say hi in one word");
});

it("nothing is replaced when its test left none behind", async () => {
  const { find } = await aFolderOf({ "Say hi in one word": { test: WORD } });

  expect(await find()).toBeUndefined();
});

it("a stale one that cannot be read is passed over", async () => {
  const { find, store } = await aFolderOf({
    "Say hi": { test: WORD, stale: true },
    "Say ho": { test: WORD, stale: true },
  });
  let reads = 0;

  const found = await find((entry) => {
    reads += 1;
    return reads === 2 ? Promise.reject(new Error("broken")) : store.read(entry);
  });

  expect(found).toBe("Say ho");
});
