import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { readEntry } from "../../../src/core/cassette/address.ts";
import { encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { RecordedReply } from "../../../src/core/cassette/recording.ts";
import type { CassetteStore } from "../../../src/core/cassette/store.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aReplyOf, textOf } from "../../support/a-recording.ts";

/** A recording asked for so often that its file is no longer looked at. */
async function aRepeatedRecording(dir = join(aFolder(), "project", ".tapedeck")) {
  const store = createFolderStore(dir);
  const { entry } = await store.save(aReplyOf("first"));
  const path = join(dir, entry);
  await ask(store, entry, path);
  return { dir, store, entry, path };
}

/** A file that was changed a moment ago is looked at in any case, so this waits until that is over. */
async function ask(store: CassetteStore, entry: string, path: string, often = 40): Promise<void> {
  await vi.waitUntil(() => Date.now() - statSync(path).ctimeMs > 60, { interval: 5, timeout: 20_000 });
  for (let round = 0; round < often; round += 1) await replyOf(store, entry);
}

/** As a call asks for it. */
async function replyOf(store: CassetteStore, entry: string): Promise<RecordedReply> {
  const address = readEntry(entry);
  if ("wrong" in address) throw new Error(address.wrong);
  const reply = await store.replay?.(address.provider, address.key, () => entry);
  if (reply === undefined) throw new Error(`There is no reply at ${entry}.`);
  return reply;
}

async function replyText(store: CassetteStore, entry: string): Promise<string> {
  return textOf((await replyOf(store, entry)).body);
}

const fileOf = (text: string): string => encodeRecording(aReplyOf(text)).text;

it("a file changed in place counts at the very next call, each time", async () => {
  const { store, entry, path } = await aRepeatedRecording();
  const seen: string[] = [];

  for (const text of ["second", "third!", "fourth"]) {
    writeFileSync(path, fileOf(text));
    seen.push(await replyText(store, entry));
    await ask(store, entry, path);
  }

  expect(seen).toEqual(["second", "third!", "fourth"].map((text) => JSON.stringify({ text })));
});

it("a change that keeps size and times counts all the same", async () => {
  const { store, entry, path } = await aRepeatedRecording();
  const { atime, mtime } = statSync(path);

  writeFileSync(path, readFileSync(path, "utf8").replace("first", "other"));
  utimesSync(path, atime, mtime);

  expect(await replyText(store, entry)).toBe('{"text":"other"}');
});

it("a file put in its place counts at the very next call, and so does its going", async () => {
  const { store, entry, path } = await aRepeatedRecording();

  writeFileSync(`${path}.new`, fileOf("moved here"));
  renameSync(`${path}.new`, path);
  const moved = await replyText(store, entry);
  await ask(store, entry, path);
  rmSync(path);

  expect(moved).toBe('{"text":"moved here"}');
  await expect(replyOf(store, entry)).rejects.toThrow(entry);
});

it.each([
  ["the folder of the file", (path: string) => dirname(path)],
  ["the provider's folder", (path: string) => dirname(dirname(path))],
  ["the folder of all calls", (path: string) => dirname(dirname(dirname(path)))],
  ["the cassette folder", (path: string) => dirname(dirname(dirname(dirname(path))))],
  ["the project's folder", (path: string) => dirname(dirname(dirname(dirname(dirname(path)))))],
])("%s put away and another in its place count at the very next call", async (_, above) => {
  const { store, entry, path } = await aRepeatedRecording();
  const folder = above(path);

  renameSync(folder, `${folder}-away`);
  const gone = replyOf(store, entry);
  await expect(gone).rejects.toThrow(entry);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, fileOf("another"));
  const another = await replyText(store, entry);
  await ask(store, entry, path);
  writeFileSync(path, fileOf("edited"));

  expect(another).toBe('{"text":"another"}');
  expect(await replyText(store, entry)).toBe('{"text":"edited"}');
});

it("a store that was closed goes on, and still sees every change", async () => {
  const { store, entry, path } = await aRepeatedRecording();

  store.close();
  await ask(store, entry, path);
  writeFileSync(path, fileOf("later"));

  expect(await replyText(store, entry)).toBe('{"text":"later"}');
});

it("a change made before the folder of its file was asked for often counts after that, too", async () => {
  const dir = join(aFolder(), ".tapedeck");
  const store = createFolderStore(dir);
  const { entry } = await store.save(aReplyOf("first"));
  const { entry: other } = await store.save(aReplyOf("other"));
  const path = join(dir, entry);
  await ask(store, entry, path, 2);

  writeFileSync(path, fileOf("edited"));
  await ask(store, other, path);

  expect(await replyText(store, entry)).toBe('{"text":"edited"}');
});

it("a cassette folder that is a link counts as what it leads to now", async () => {
  const root = aFolder();
  const [link, here, there] = ["link", "here", "there"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(here);
  symlinkSync(here, link);
  const { store, entry } = await aRepeatedRecording(link);
  await createFolderStore(there).save(aReplyOf("another"));

  rmSync(link);
  symlinkSync(there, link);

  expect(await replyText(store, entry)).toBe('{"text":"another"}');
});
