import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { addressOf } from "../../../src/core/cassette/address.ts";
import type { Key } from "../../../src/core/call.ts";
import { fixNames, forgetRules } from "../../../src/storage/check/fix-names.ts";
import { inspect } from "../../../src/storage/check/inspect.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { createRekeyedStore } from "../../../src/storage/keys/rekeyed-store.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aReplyOf } from "../../support/a-recording.ts";

const RULED: Key = `sha256:${"cd".repeat(32)}`;
const hasMark = (dir: string): boolean => existsSync(join(dir, "named-by-rules.txt"));

async function aRenamed(dir: string) {
  const store = createFolderStore(dir);
  const { entry, provider, key } = await store.save(aReplyOf("kept"));
  const to = addressOf(provider, RULED, 1);
  await fixNames(dir, [{ from: entry, to }]);
  return { store, provider, key, from: entry, to };
}

it("a recording that was renamed while all names were looked at is found by a second look", async () => {
  const dir = aFolder();
  const { store, provider, key } = await aRenamed(dir);
  let looks = 0;
  // Gone from a folder that was not yet looked at into one that had been.
  const torn = { ...store, list: async () => ((looks += 1) <= 2 ? [] : store.list()) };
  const rekeyed = createRekeyedStore(torn, { normaliser: () => undefined });

  const reply = await rekeyed.replay(provider, key, ([first]) => first?.entry);

  expect(reply).toEqual(aReplyOf("kept").reply);
});

it("what says that names may mislead stays where one does, and where one may do so since the look", async () => {
  const dir = aFolder();
  const { store, from, to } = await aRenamed(dir);
  const look = () => inspect({ store, dir, roots: [] });

  const misled = await look();
  await forgetRules(dir, misled);
  const wasKept = hasMark(dir);
  await fixNames(dir, [{ from: to.entry, to: addressOf("openai", store.takes("openai", RULED)[0]!.key, 2) }]);
  await store.remove(to.entry.replace(".json", ".2.json"));
  const fits = await look();
  await createFolderStore(dir).save({ ...aReplyOf("named meanwhile"), exactKey: RULED });
  await forgetRules(dir, fits);

  expect([misled.hasNamedByRules, wasKept]).toEqual([true, true]);
  expect([fits.hasNamedByRules, hasMark(dir)]).toEqual([false, true]);
  expect(from).not.toBe(to.entry);
  await forgetRules(dir, { hasNamedByRules: false, mark: (await look()).mark });
  expect(hasMark(dir)).toBe(false);
});

it("what another one renamed meanwhile keeps nothing else from being renamed", async () => {
  const dir = aFolder();
  const store = createFolderStore(dir);
  const { entry } = await store.save(aReplyOf("kept"));
  const gone = addressOf("openai", `sha256:${"ab".repeat(32)}`, 1).entry;
  const to = addressOf("openai", RULED, 1);

  const { renamed, taken } = await fixNames(dir, [
    { from: gone, to: addressOf("openai", RULED, 2) },
    { from: entry, to },
  ]);

  expect([renamed.map((one) => one.to.entry), taken]).toEqual([[to.entry], []]);
});
