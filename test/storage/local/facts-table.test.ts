import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CassetteStore } from "../../../src/core/cassette/store.ts";
import type { NormalizeRule } from "../../../src/core/call/rule.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { openDeck } from "../../../src/deck/deck.ts";
import { listNewestRecordings } from "../../../src/deck/open-store.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { createFactsTable, type FactsTable } from "../../../src/storage/local/facts-table.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aRecording, aReplyOf } from "../../support/a-recording.ts";

const COUNT = 8;
const question = (order: number): string => `Where is order ${order}?`;
const fileOf = (dir: string): string => join(dir, ".local/facts.jsonl");

function aTable(dir: string, ...normalize: NormalizeRule[]): FactsTable {
  const project = { current: { rules: JSON.stringify(normalize) } };
  return createFactsTable({
    dir,
    folders: [dir],
    providers: createProviders(),
    project,
  });
}

/** Returns the labels that a new process lists, and how many recordings it read for them. */
async function listed(dir: string): Promise<{ readonly labels: readonly string[]; readonly read: number }> {
  let read = 0;
  const store = createFolderStore(dir);
  const counting: Pick<CassetteStore, "read"> = { read: (entry) => ((read += 1), store.read(entry)) };
  const table = aTable(dir);
  const labels: string[] = [];
  for await (const { facts } of table.read(counting, await store.list()))
    labels.push(facts?.described?.label ?? "none");
  await table.flush();
  return { labels: labels.toSorted(), read };
}

/** The facts of files that were not edited are read without the store, which counts. */
async function aFolderOfOrders(count = COUNT): Promise<string> {
  const dir = await aFolderAsWritten(count);
  for (const { entry } of await createFolderStore(dir).list()) appendFileSync(join(dir, entry), "\n");
  return dir;
}

async function aFolderAsWritten(count: number): Promise<string> {
  const dir = aFolder();
  const store = createFolderStore(dir);
  for (let order = 0; order < count; order += 1)
    await store.save(aReplyOf(`on its way ${order}`, question(order)));
  return dir;
}

async function entryOf(dir: string, asked: string): Promise<string> {
  const { provider, key } = aRecording({ question: asked });
  return createFolderStore(dir).takes(provider, key)[0]?.entry ?? "none";
}

describe("the table of facts", () => {
  it("spares the next process to read what was read before", async () => {
    const dir = await aFolderOfOrders();

    const first = await listed(dir);
    const second = await listed(dir);

    expect([first.read, second.read]).toEqual([COUNT, 0]);
    expect(second.labels).toEqual(first.labels);
    expect(second.labels).toEqual(Array.from({ length: COUNT }, (_, order) => question(order)));
  });

  it("reads a file again that was edited, and one that came later", async () => {
    const dir = await aFolderOfOrders();
    await listed(dir);
    const path = join(dir, await entryOf(dir, question(3)));
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("order 3", "order 9"));
    await createFolderStore(dir).save(aReplyOf("here", question(7_000)));

    const { labels, read } = await listed(dir);

    expect(read).toBe(1);
    expect(labels).toContain(question(7_000));
    expect(labels).toContain(question(9));
    expect(labels).not.toContain(question(3));
  });

  it.each([
    ["cut off in a line", (path: string) => truncateSync(path, lstatSync(path).size - 100)],
    ["of another program", (path: string) => writeFileSync(path, "not ours at all")],
    ["of another format", (path: string) => writeFileSync(path, '[0,"calls/x.json",1,2,3]\n')],
    [
      "full of rows without columns",
      (path: string) => writeFileSync(path, '[2,"\n[2,"calls/x.json"\n[2,{}]'),
    ],
    ["empty", (path: string) => writeFileSync(path, "")],
    ["gone", (path: string) => rmSync(path)],
    ["a folder", (path: string) => (rmSync(path), mkdirSync(path))],
  ])("that is %s costs time and is no error", async (state, damage) => {
    const dir = await aFolderOfOrders();
    const { labels: expected } = await listed(dir);
    damage(fileOf(dir));

    const { labels, read } = await listed(dir);
    const again = await listed(dir);

    expect(read).toBe(state.startsWith("cut off") ? 1 : COUNT);
    expect([labels, again.labels]).toEqual([expected, expected]);
    expect(again.read).toBe(state === "a folder" ? COUNT : 0);
  });

  it("does not grow with every change of a recording, and forgets recordings that are gone", async () => {
    const dir = await aFolderOfOrders(2);
    const [kept, gone] = [await entryOf(dir, question(0)), await entryOf(dir, question(1))];
    await listed(dir);
    await createFolderStore(dir).remove(gone);
    const line = readFileSync(fileOf(dir), "utf8")
      .split("\n")
      .find((one) => one.includes(kept));
    appendFileSync(fileOf(dir), `${line}\n`.repeat(2_000));
    utimesSync(join(dir, kept), new Date(), new Date(1_000_000));

    const { read } = await listed(dir);

    const rows = readFileSync(fileOf(dir), "utf8").split("\n").filter(Boolean);
    expect(read).toBe(1);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toContain(kept);
  });

  it("is not written through a link, and not when nothing is recorded", async () => {
    const dir = await aFolderOfOrders();
    const target = join(aFolder(), "elsewhere");
    writeFileSync(target, "");
    mkdirSync(join(dir, ".local"));
    symlinkSync(target, fileOf(dir));
    await listed(dir);
    const none = join(aFolder(), "none");
    await listed(none);

    expect(readFileSync(target, "utf8")).toBe("");
    expect(readdirSync(join(none, ".."))).toEqual([]);
  });
});

const OTHERS: NormalizeRule = { ignore: "/user" };

describe("a replay of a recording", () => {
  async function replay(dir: string, entry: string, ...rules: NormalizeRule[]): Promise<number> {
    let keys = 0;
    const table = aTable(dir, ...rules);
    const normalizer = () => void (keys += 1);
    await createFolderStore(dir, { facts: table, normalizer }).read(entry, "replay");
    await table.flush();
    return keys;
  }

  async function saveAgain(dir: string, entry: string): Promise<void> {
    const deck = openDeck({ dir });
    await deck.store.replace(entry, aReplyOf("on its way 0", question(0)));
    await deck.close();
  }

  it("computes its key only after the file or the rules changed", async () => {
    const dir = await aFolderAsWritten(1);
    const entry = await entryOf(dir, question(0));
    const path = join(dir, entry);

    const counts = [await replay(dir, entry), await replay(dir, entry), await replay(dir, entry, OTHERS)];
    writeFileSync(path, readFileSync(path, "utf8").replace("on its way", "in the shop"));
    counts.push(await replay(dir, entry, OTHERS), await replay(dir, entry, OTHERS));

    expect(counts).toEqual([0, 0, 1, 1, 0]);
  });

  it.each([
    ["after its first replay", (dir: string, entry: string) => replay(dir, entry)],
    ["before it, after a deck wrote it", saveAgain],
  ])("refuses a request that was edited %s", async (_, note) => {
    const dir = await aFolderAsWritten(1);
    const entry = await entryOf(dir, question(0));
    await note(dir, entry);
    const path = join(dir, entry);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll("order 0", "order 1"));

    await expect(replay(dir, entry)).rejects.toThrow("does not match the key of the file");
    await expect(replay(dir, entry)).rejects.toThrow("does not match the key of the file");
  });
});

it("the newest recordings are those whose files changed last", async () => {
  const dir = await aFolderAsWritten(COUNT);
  const old = await entryOf(dir, question(7));
  utimesSync(join(dir, old), new Date(0), new Date(0));
  const all = await createFolderStore(dir).list();

  const newest = listNewestRecordings(dir, all, COUNT - 1);

  expect(all.filter((one) => !newest.includes(one)).map(({ entry }) => entry)).toEqual([old]);
});
