import { readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CassetteStore } from "../../../src/core/cassette/store.ts";
import { createNearestFinder } from "../../../src/core/match/nearest/nearest.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { nearestNotes, newestRecordings } from "../../../src/storage/local/nearest-notes.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aRecording, aReplyOf } from "../../support/a-recording.ts";

const COUNT = 80;
const { request } = aRecording({ question: "Where is order 41 now?" });
const missed = {
  call: { provider: "openai", ...request, headers: [] },
  protocol: { operation: "chat.completions" },
  headers: [],
} as never;

describe("notes on recorded requests", () => {
  it("spare the next process to read what was read before", async () => {
    const dir = await aFolderOfOrders();

    const first = await nearestIn(dir);
    const second = await nearestIn(dir);

    expect([first.read, second.read]).toEqual([COUNT, 0]);
    expect(second.nearest).toEqual(first.nearest);
    expect(second.nearest).toBe(await entryOf(dir, "Where is order 41?"));
  });

  it("leave what came later to be read, and what went unnamed", async () => {
    const dir = await aFolderOfOrders();
    await nearestIn(dir);
    const store = createFolderStore(dir);
    await store.remove(await entryOf(dir, "Where is order 41?"));
    const { entry } = await store.save(aReplyOf("here", "Where is order 41 today?"));

    const { read, nearest } = await nearestIn(dir);

    expect([read, nearest]).toEqual([1, entry]);
  });

  it.each([
    ["cut off", (path: string) => truncateSync(path, 1_000)],
    ["of another program", (path: string) => writeFileSync(path, "not ours at all")],
    ["empty", (path: string) => writeFileSync(path, "")],
    ["gone", (path: string) => rmSync(path)],
  ])("that are %s cost time and nothing else", async (_, damage) => {
    const dir = await aFolderOfOrders();
    const { nearest: expected } = await nearestIn(dir);
    damage(join(dir, ".local/nearest.json"));

    const { read, nearest } = await nearestIn(dir);
    const again = await nearestIn(dir);

    expect(read).toBeGreaterThan(COUNT / 2);
    expect([nearest, again.nearest, again.read]).toEqual([expected, expected, 0]);
  });

  it("hold no text of any request", async () => {
    const dir = await aFolderOfOrders();

    await nearestIn(dir);

    const text = readFileSync(join(dir, ".local/nearest.json"), "latin1");
    expect(text).toContain("chat.completions");
    expect(text).not.toMatch(/order|Where|gpt/);
  });

  it("are not made where nothing is recorded", async () => {
    const dir = join(aFolder(), "none");

    await nearestNotes(dir).write(new Map());

    expect(readdirSync(join(dir, ".."))).toEqual([]);
  });
});

async function aFolderOfOrders(): Promise<string> {
  const dir = aFolder();
  const store = createFolderStore(dir);
  const orders = Array.from({ length: COUNT }, (_, order) =>
    aReplyOf(`on its way ${order}`, `Where is order ${order}?`),
  );
  await Promise.all(orders.map((order) => store.save(order)));
  return dir;
}

async function entryOf(dir: string, question: string): Promise<string> {
  const { provider, key } = aRecording({ question });
  return createFolderStore(dir).takes(provider, key)[0]?.entry ?? "none";
}

/** Returns the nearest recording that a new process finds, and how many other recordings it read. */
async function nearestIn(
  dir: string,
): Promise<{ readonly nearest: string | undefined; readonly read: number }> {
  let read = -1;
  const store = createFolderStore(dir);
  const counting: CassetteStore = { ...store, read: (entry) => ((read += 1), store.read(entry)) };
  const file = nearestNotes(dir);
  let written: Promise<void> = Promise.resolve();
  const find = createNearestFinder({
    store: counting,
    normaliser: () => undefined,
    notes: { read: () => file.read(), write: (notes) => (written = file.write(notes)) },
  });
  const { nearest } = await find(missed);
  await written;
  return { nearest: nearest?.entry, read };
}

it("the newest recordings are those whose files changed last", async () => {
  const dir = await aFolderOfOrders();
  const old = await entryOf(dir, "Where is order 7?");
  utimesSync(join(dir, old), new Date(0), new Date(0));
  const all = await createFolderStore(dir).list();

  const newest = newestRecordings(dir, all, COUNT - 1);

  expect(all.filter((one) => !newest.includes(one)).map(({ entry }) => entry)).toEqual([old]);
});
