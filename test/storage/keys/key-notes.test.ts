import { readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CassetteStore } from "../../../src/core/cassette/store.ts";
import type { Key } from "../../../src/core/call.ts";
import { computeKey } from "../../../src/core/match/key/key.ts";
import { operationRequest } from "../../../src/core/describe.ts";
import { loadPatterns } from "../../../src/core/match/rules/patterns.ts";
import type { NormaliseRule } from "../../../src/core/match/rules/rule.ts";
import { compileRules } from "../../../src/core/match/rules/rules.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { keyFile } from "../../../src/storage/keys/key-notes.ts";
import { createRekeyedStore } from "../../../src/storage/keys/rekeyed-store.ts";
import { sha256 } from "../../../src/storage/folder/sha256.ts";
import { aFolder } from "../../support/a-folder.ts";
import { replyOf } from "../../support/reply-of.ts";
import { aRecording, aReplyOf } from "../../support/a-recording.ts";

const COUNT = 70;
const RULES: readonly NormaliseRule[] = [{ replace: "order [0-9]+ ", with: "order " }];
const OTHER_RULES: readonly NormaliseRule[] = [{ replace: "[0-9]+ is", with: "" }];

describe("notes on keys under rules", () => {
  it("spare the next process to read what was read before", async () => {
    const dir = await aFolderOfOrders();

    const first = await found(dir, "Where is order 3 of day 41?");
    const second = await found(dir, "Where is order 3 of day 41?");

    expect(first).toEqual({ read: COUNT, entries: [await entryOf(dir, 41)] });
    expect(second).toEqual({ read: 0, entries: first.entries });
  });

  it.each([
    ["with another size", (text: string) => text.replace("order 41 of", "no order at all of")],
    ["with the same size", (text: string) => text.replace("order 41 of", "birds 41 of")],
  ])("leave what was edited %s to be read again", async (_, edit) => {
    const dir = await aFolderOfOrders();
    await found(dir, "Where is order 41 of day 41?");
    const path = join(dir, await entryOf(dir, 41));
    const { atime, mtime } = statSync(path);

    writeFileSync(path, edit(readFileSync(path, "utf8")));
    utimesSync(path, atime, mtime);
    const after = await found(dir, "Where is order 41 of day 41?");

    expect(after).toEqual({ read: 1, entries: [] });
  });

  it("leave out what went and let what came be read", async () => {
    const dir = await aFolderOfOrders();
    await found(dir, "Where is order 1 of day 41?");
    const store = createFolderStore(dir);
    await store.remove(await entryOf(dir, 41));
    const { entry } = await store.save(aReplyOf("here", "Where is order 900 of day 41?"));

    const after = await found(dir, "Where is order 1 of day 41?");

    expect(after).toEqual({ read: 1, entries: [entry] });
  });

  it("are of no use under other rules, and come anew under them", async () => {
    const dir = await aFolderOfOrders();
    await found(dir, "Where is order 1 of day 41?");

    const others = await found(dir, "Where is order 1 of day 41?", OTHER_RULES);
    const again = await found(dir, "Where is order 41 of day 41?", OTHER_RULES);

    expect(others).toEqual({ read: COUNT, entries: [] });
    expect(again).toEqual({ read: 0, entries: [await entryOf(dir, 41)] });
  });

  it.each([
    ["cut off", (path: string) => truncateSync(path, 1_000)],
    ["of another shape", (path: string) => writeFileSync(path, '{"rules": [], "recordings": 3}')],
    ["gone", (path: string) => rmSync(path)],
  ])("that are %s cost time and nothing else", async (_, damage) => {
    const dir = await aFolderOfOrders();
    const before = await found(dir, "Where is order 1 of day 41?");

    damage(join(dir, ".local/keys.json"));
    const after = await found(dir, "Where is order 1 of day 41?");

    expect(after).toEqual(before);
  });

  it("never make a recording answer another request, whatever they say", async () => {
    const dir = await aFolderOfOrders();
    await found(dir, "Where is order 1 of day 41?");
    const path = join(dir, ".local/keys.json");
    const [key41, key42] = [
      await keyOf("Where is order 1 of day 41?"),
      await keyOf("Where is order 1 of day 42?"),
    ];
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(key41, key42));

    const { store, close } = await opened(dir);
    await store.settle("openai", key42);
    const replies = await Promise.allSettled(
      store.takes("openai", key42).map(async ({ entry }) => (await replyOf(store, entry), entry)),
    );
    close();

    const answered = replies.flatMap((reply) => (reply.status === "fulfilled" ? reply.value : []));
    expect(answered).toEqual([await entryOf(dir, 42)]);
  });
});

async function aFolderOfOrders(): Promise<string> {
  const dir = aFolder();
  const store = createFolderStore(dir);
  const orders = Array.from({ length: COUNT }, (_, day) =>
    aReplyOf(`on its way ${day}`, `Where is order ${day} of day ${day}?`),
  );
  await Promise.all(orders.map((order) => store.save(order)));
  // A file that was written within the clock's last tick is never trusted.
  const written = Date.now();
  while (Date.now() - written < 60) await new Promise(setImmediate);
  return dir;
}

async function entryOf(dir: string, day: number): Promise<string> {
  const { provider, key } = aRecording({ question: `Where is order ${day} of day ${day}?` });
  return createFolderStore(dir).takes(provider, key)[0]?.entry ?? "none";
}

async function keyOf(question: string, rules = RULES): Promise<Key> {
  const normaliser = compileRules(rules, await loadPatterns());
  return computeKey(operationRequest(aRecording({ question })), sha256, normaliser);
}

interface Opened {
  readonly store: CassetteStore;
  readonly read: () => number;
  /** Resolves once what a process notes is on disk. */
  readonly noted: () => Promise<void>;
  readonly close: () => void;
}

async function opened(dir: string, rules = RULES): Promise<Opened> {
  let read = 0;
  let written: Promise<void> = Promise.resolve();
  const below = createFolderStore(dir);
  const file = keyFile(dir, rules);
  const normaliser = compileRules(rules, await loadPatterns());
  const store = createRekeyedStore(
    { ...below, read: (entry) => ((read += 1), below.read(entry)) },
    {
      normaliser: () => normaliser,
      notes: () => ({ ...file, write: (notes) => (written = file.write(notes)) }),
    },
  );
  return { store, read: () => read, noted: () => written, close: () => store.release() };
}

/** What a new process finds for a question under the rules, and how many recordings it reads for it. */
async function found(
  dir: string,
  question: string,
  rules = RULES,
): Promise<{ readonly read: number; readonly entries: readonly string[] }> {
  const { store, read, noted, close } = await opened(dir, rules);
  const key = await keyOf(question, rules);
  await store.settle("openai", key);
  const entries = store.takes("openai", key).map(({ entry }) => entry);
  await noted();
  close();
  return { read: read(), entries };
}
