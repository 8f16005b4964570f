import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { WatchedStore, StoreChange } from "../../../src/core/cassette/store.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aReplyOf } from "../../support/a-recording.ts";

/** Watches a store and keeps the changes since `forget`. */
function listenTo(store: WatchedStore) {
  const heard: StoreChange[] = [];
  const watching = store.watch((change) => heard.push(change));
  onTestFinished(() => watching.dispose());
  return {
    /** Resolves once a change of this entry, or of anything, was reported. */
    hears: (entry: string) =>
      vi.waitUntil(
        () => heard.some((change) => change.entry === undefined || change.entry === entry),
        600_000,
      ),
    /** Resolves once a change of anything was reported. */
    hearsAll: () => vi.waitUntil(() => heard.some((change) => change.entry === undefined), 600_000),
    forget: () => void heard.splice(0),
  };
}

it("files that other processes add, edit, and delete are reported", async () => {
  const dir = aFolder();
  const { entry } = await createFolderStore(dir).save(aReplyOf("one"));
  const second = entry.replace(".json", ".2.json");
  const listener = listenTo(createFolderStore(dir));

  writeFileSync(join(dir, second), "{}");
  await listener.hears(second);
  listener.forget();
  writeFileSync(join(dir, entry), "{ }");
  await listener.hears(entry);
  listener.forget();
  rmSync(join(dir, second));
  await expect(listener.hears(second)).resolves.toBe(true);
});

it("a new folder is reported, and later changes in it as well", async () => {
  const dir = join(aFolder(), "not", "yet", ".tapedeck");
  const listener = listenTo(createFolderStore(dir));
  const other = createFolderStore(dir);

  const { entry } = await other.save(aReplyOf("one"));
  await listener.hears(entry);
  listener.forget();
  const { entry: next } = await other.save(aReplyOf("two", "Another question?"));
  await listener.hears(next);
  listener.forget();
  writeFileSync(join(dir, entry), readFileSync(join(dir, entry)));
  await expect(listener.hears(entry)).resolves.toBe(true);
});

it("a folder that is removed and restored, as with git checkout, is still watched", async () => {
  const dir = join(aFolder(), ".tapedeck");
  const { entry } = await createFolderStore(dir).save(aReplyOf("one"));
  const text = readFileSync(join(dir, entry));
  const listener = listenTo(createFolderStore(dir));

  rmSync(dir, { recursive: true });
  await listener.hears(entry);
  listener.forget();
  mkdirSync(join(dir, dirname(entry)), { recursive: true });
  writeFileSync(join(dir, entry), text);
  await listener.hears(entry);
  listener.forget();
  writeFileSync(join(dir, entry), "{}");
  await expect(listener.hears(entry)).resolves.toBe(true);
});

it("a folder that is replaced at once, again and again, is watched on", async () => {
  const dir = join(aFolder(), ".tapedeck");
  const { entry } = await createFolderStore(dir).save(aReplyOf("one"));
  const text = readFileSync(join(dir, entry));
  const listener = listenTo(createFolderStore(dir));

  for (const place of [dir, join(dir, "calls"), join(dir, dirname(entry))]) {
    rmSync(place, { recursive: true });
    mkdirSync(join(dir, dirname(entry)), { recursive: true });
    writeFileSync(join(dir, entry), text);
    await listener.hearsAll();
    listener.forget();
    writeFileSync(join(dir, entry), "{}");
    await expect(listener.hears(entry)).resolves.toBe(true);
    listener.forget();
  }
});

it("a folder that another one is moved in the place of is watched on", async () => {
  const home = aFolder();
  const [dir, other] = [join(home, ".tapedeck"), join(home, "other")];
  const { entry } = await createFolderStore(dir).save(aReplyOf("one"));
  await createFolderStore(other).save(aReplyOf("two"));
  const listener = listenTo(createFolderStore(dir));

  renameSync(dir, join(home, "old"));
  renameSync(other, dir);
  await listener.hearsAll();
  listener.forget();
  writeFileSync(join(dir, entry), "{}");

  await expect(listener.hears(entry)).resolves.toBe(true);
});

it("a folder that cannot be is watched without complaint", () => {
  const file = join(aFolder(), "file");
  writeFileSync(file, "");

  expect(() =>
    createFolderStore(join(file, "below", ".tapedeck"))
      .watch(() => {})
      .dispose(),
  ).not.toThrow();
});
