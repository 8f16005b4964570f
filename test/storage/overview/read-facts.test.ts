import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDeck } from "../../../src/deck/deck.ts";
import { readFacts, type KnownRecording } from "../../../src/storage/overview/read-facts.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aRecording, bytes } from "../../support/a-recording.ts";

const reply = (tokens: number) => ({
  body: bytes(JSON.stringify({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: 2 } })),
});

async function aFolderOf(count: number) {
  const dir = aFolder();
  const deck = openDeck({ dir });
  const entries: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const test = { file: "a.test.ts", name: [`case ${index % 3}`] };
    const recording = aRecording({ question: `Question ${index}`, reply: reply(index), test });
    entries.push((await deck.store.save(recording)).entry);
  }
  // Files that were written a moment ago may change unseen: nothing is noted of them.
  await new Promise((resolve) => setTimeout(resolve, 60));
  const look = async (): Promise<{
    readonly read: readonly string[];
    readonly found: readonly KnownRecording[];
  }> => {
    const read: string[] = [];
    const store = {
      list: () => deck.store.list(),
      read: (entry: string) => (read.push(entry), deck.store.read(entry)),
    };
    return { found: await readFacts({ dir, store, providers: deck.providers }), read };
  };
  return { dir, entries, look };
}

it("a recording is read once; then a note tells, as long as its file is the same", async () => {
  const { dir, entries, look } = await aFolderOf(40);
  const first = await look();
  const second = await look();
  const [changed = "", gone = ""] = entries;
  appendFileSync(join(dir, changed), "\n");
  rmSync(join(dir, gone));
  const third = await look();

  expect(first.read.toSorted()).toEqual(entries.toSorted());
  expect(second.read).toEqual([]);
  expect(second.found).toEqual(first.found);
  expect(third.read).toEqual([changed]);
  expect(third.found).toHaveLength(39);
  expect(first.found.map(({ facts }) => facts?.usage?.inputTokens ?? 0).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 40 }, (_, index) => index),
  );
  expect(first.found[0]?.facts).toMatchObject({ model: "gpt-4o-mini", test: { file: "a.test.ts" } });
});

it("few recordings are read each time: no note is written for them", async () => {
  const { dir, look } = await aFolderOf(3);
  await look();

  expect(existsSync(join(dir, ".local/facts.json"))).toBe(false);
  expect((await look()).read).toHaveLength(3);
});

it("a look at a folder without recordings leaves the notes as they are", async () => {
  const { dir, look } = await aFolderOf(40);
  await look();
  const store = { list: async () => [], read: () => Promise.reject(new Error("nothing is read")) };

  expect(await readFacts({ dir, store, providers: openDeck({ dir }).providers })).toEqual([]);
  expect((await look()).read).toEqual([]);
});

it("notes that are of no use are no notes", async () => {
  const { dir, look } = await aFolderOf(40);
  await look();
  const path = join(dir, ".local/facts.json");
  const whole = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  for (const broken of [
    "{",
    "[]",
    JSON.stringify({ ...whole, version: 0 }),
    JSON.stringify({ ...whole, ino: [] }),
  ]) {
    writeFileSync(path, broken);
    expect((await look()).read).toHaveLength(40);
  }
});

it("what cannot be read has no facts, and its size counts", async () => {
  const { dir, entries, look } = await aFolderOf(2);
  writeFileSync(join(dir, entries[0] ?? ""), "{");

  const { found } = await look();

  expect(found.filter(({ facts }) => facts === undefined)).toMatchObject([
    { address: { entry: entries[0] }, bytes: 1 },
  ]);
});
