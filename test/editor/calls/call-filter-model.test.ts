import { describe, expect, it } from "vitest";
import { aCallsTree, aChat, aMiss, aTest, anEvent, treeText } from "../calls-tree/a-calls-tree.ts";

const WORD = aTest("tests/chat.test.ts", "answers in one word");
const SUMMARY = aTest("tests/summary.test.ts", "sums up");

async function someCalls(): Promise<ReturnType<typeof aCallsTree>> {
  const calls = aCallsTree();
  await calls.store.save(aChat("Tell me of Paris", { test: WORD, reply: "It lies on the Seine." }));
  await calls.store.save(aChat("Tell me of Rome", { test: SUMMARY, model: "gpt-4.1" }));
  const fresh = await calls.store.save(aChat("Tell me of Oslo", { test: WORD, provider: "ollama" }));
  calls.session.setCandidates([{ entry: fresh.entry, recordedAt: 1 }]);
  calls.session.addCall(anEvent({ outcome: "miss", test: WORD, miss: aMiss("Tell me of Bern") }));
  return calls;
}

async function shown(text: string): Promise<readonly string[]> {
  const { model } = await someCalls();
  model.shown.filterText = text;
  const tree = await treeText(model);
  return tree.flatMap((line) => /me of (\w+)/u.exec(line)?.[1] ?? []).toSorted();
}

describe("the filter", () => {
  it.each([
    ["a word of the prompt", "rome", ["Rome"]],
    ["a word of the reply", "SEINE", ["Paris"]],
    ["a model", "gpt-4.1", ["Rome"]],
    ["a test's title", "sums", ["Rome"]],
    ["several words, all of them", "tell seine", ["Paris"]],
    ["words that stand together", '"me of b"', ["Bern"]],
    ["a state", "state:new", ["Oslo"]],
    ["two states", "state:new state:missing", ["Bern", "Oslo"]],
    ["a provider", "provider:ollama", ["Oslo"]],
    ["a model by its facet", "model:4.1", ["Rome"]],
    ["a test by its facet", 'test:"one word"', ["Bern", "Oslo", "Paris"]],
    ["facets and words together", "tell provider:openai test:chat", ["Bern", "Paris"]],
    ["nothing that is there", "xyzzy", []],
    ["a word with a colon that is no facet", "http://x", []],
    ["no filter", "  ", ["Bern", "Oslo", "Paris", "Rome"]],
    ["a facet that is still being typed", "state:", ["Bern", "Oslo", "Paris", "Rome"]],
  ])("finds %s", async (_what, text, expected) => {
    expect(await shown(text)).toEqual(expected);
  });

  it("shows the count of matches and the total, and opens the matches", async () => {
    const { model } = await someCalls();
    model.shown.filterText = "seine";

    const roots = await model.roots();

    expect(roots.map(({ label, description, expand }) => `${label} ${description} ${expand}`)).toEqual([
      "Recordings 1 of 2 open",
    ]);
    const groups = await roots.at(-1)?.children();
    expect(groups?.map(({ expand }) => expand)).toEqual(["open"]);
  });

  it("finds words beyond the text in memory", async () => {
    const { store, model, index } = aCallsTree({ keep: { each: 20, all: 1_000 } });
    await store.save(aChat("Begin", { test: WORD, reply: `${"so ".repeat(100)} and at last Lisbon` }));
    model.shown.filterText = "lisbon";

    await model.roots();
    await index.settled();
    await new Promise((resolve) => setImmediate(resolve));
    const tree = await treeText(model);

    expect(tree.at(-1)).toContain('"Begin"');
  });
});

it("finds a recording by the beginning of its key or its path, and not by digits inside a key", async () => {
  const { model, store, index } = aCallsTree();
  const { entry, key } = await store.save(aChat("Tell me of Paris"));
  await index.addresses();
  const digits = key.slice("sha256:".length);
  const finds = async (text: string): Promise<boolean> => {
    model.shown.filterText = text;
    return (await treeText(model)).some((line) => line.includes("Paris"));
  };

  for (const text of [digits.slice(0, 8), `${digits.slice(0, 8)}…`, key, entry, entry.slice(-14)])
    expect([text, await finds(text)]).toEqual([text, true]);
  for (const text of [digits.slice(8, 11), digits.slice(0, 3), digits.slice(4, 12), "calls", "json"])
    expect([text, await finds(text)]).toEqual([text, false]);
});
