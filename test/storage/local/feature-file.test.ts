import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { CassetteStore } from "../../../src/core/cassette/store.ts";
import { operationRequest } from "../../../src/core/describe.ts";
import type { Key } from "../../../src/core/call.ts";
import { decodeNotes, encodeNotes } from "../../../src/core/match/nearest/feature-notes.ts";
import { createRequestIndex } from "../../../src/core/match/nearest/request-index.ts";
import type { TakeTurns } from "../../../src/core/take-turns.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { featureFile } from "../../../src/storage/local/feature-file.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aRecording, aReplyOf } from "../../support/a-recording.ts";

const COUNT = 80;
const asked = operationRequest(aRecording({ question: "Where is order 41 now?" }));

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
    damage(join(dir, ".local/nearest.bin"));

    const { read, nearest } = await nearestIn(dir);
    const again = await nearestIn(dir);

    expect(read).toBeGreaterThan(COUNT / 2);
    expect([nearest, again.nearest, again.read]).toEqual([expected, expected, 0]);
  });

  it("hold no text of any request", async () => {
    const dir = await aFolderOfOrders();

    await nearestIn(dir);

    const text = readFileSync(join(dir, ".local/nearest.bin"), "latin1");
    expect(text).toContain("chat.completions");
    expect(text).not.toMatch(/order|Where|gpt/);
  });

  it("come back as they were written", async () => {
    const dir = await aFolderOfOrders();
    await nearestIn(dir);
    const bytes = readFileSync(join(dir, ".local/nearest.bin"));

    const notes = new Map(decodeNotes(bytes));

    expect(notes.size).toBe(COUNT);
    expect(Buffer.from(encodeNotes(notes)).equals(bytes)).toBe(true);
  });

  it("let others have their turn while they are taken up", async () => {
    const dir = await aFolderOfOrders();
    await nearestIn(dir);

    const { read, turns } = await nearestIn(dir);

    expect(read).toBe(0);
    expect([turns.asked, turns.had]).toEqual([COUNT, 3]);
  });

  it("let others have their turn while they are read", async () => {
    const dir = aFolder();
    const features = { hashes: Uint32Array.of(7), parts: Uint32Array.of(), model: 1, lastUser: 2, system: 3 };
    const keys = Array.from({ length: 1_000 }, (_, nth): Key => `sha256:${String(nth).padStart(64, "0")}`);
    const turns = aTurnOf(300);
    const file = featureFile(dir, turns.take);
    await file.write(new Map(keys.map((key) => [key, { operation: "chat.completions", features }])));

    const { size } = await file.read();

    expect([size, turns.asked, turns.had]).toEqual([1_000, 1_000, 3]);
  });

  it("are not made where nothing is recorded", async () => {
    const dir = join(aFolder(), "none");

    await featureFile(dir).write(new Map());

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

/** The nearest recording as a new process finds it, how many recordings it read, and how often others had their turn. */
async function nearestIn(
  dir: string,
): Promise<{ readonly nearest: string | undefined; readonly read: number; readonly turns: Turns }> {
  let read = 0;
  const turns = aTurnOf(25);
  const store = createFolderStore(dir);
  const counting: CassetteStore = { ...store, read: (entry) => ((read += 1), store.read(entry)) };
  const file = featureFile(dir);
  let written: Promise<void> = Promise.resolve();
  const index = createRequestIndex({
    store: counting,
    normaliser: () => undefined,
    takeTurns: turns.take,
    notes: { read: () => file.read(), write: (notes) => (written = file.write(notes)) },
  });
  const nearest = (await index.current()).find(asked)?.id;
  await written;
  index.dispose();
  return { nearest, read, turns };
}

interface Turns {
  readonly take: TakeTurns;
  readonly asked: number;
  /** Those that were waited for to their end. */
  readonly had: number;
}

/** A turn is due at every so many steps; who asks for the next before it is over is told so. */
function aTurnOf(steps: number): Turns {
  let [times, had, under] = [0, 0, false];
  const turn = async (): Promise<void> => {
    under = true;
    await setImmediate();
    under = false;
    had += 1;
  };
  return {
    take() {
      if (under) throw new Error("the turn of the others is not over");
      times += 1;
      return times % steps === 0 ? turn() : undefined;
    },
    get asked() {
      return times;
    },
    get had() {
      return had;
    },
  };
}
